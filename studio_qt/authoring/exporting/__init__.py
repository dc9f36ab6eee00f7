"""From a project to files that play elsewhere: what goes in, the zip, and why not (STU-11)."""

from studio_qt.authoring.exporting.building import Built, build_package
from studio_qt.authoring.exporting.packing import write_zip, zip_bytes
from studio_qt.authoring.exporting.plan import (
    ExportPlan,
    ExportWarning,
    Fields,
    FileKind,
    PlannedFile,
    plan_export,
)

__all__ = [
    "Built",
    "ExportPlan",
    "ExportWarning",
    "Fields",
    "FileKind",
    "PlannedFile",
    "build_package",
    "plan_export",
    "write_zip",
    "zip_bytes",
]

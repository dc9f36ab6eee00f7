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
from studio_qt.authoring.exporting.running import (
    Exported,
    ExportStep,
    Progress,
    export_package,
    sources_place,
)
from studio_qt.authoring.exporting.summary import SummaryRow, goes_in, stays_here

__all__ = [
    "Built",
    "ExportPlan",
    "ExportStep",
    "ExportWarning",
    "Exported",
    "Fields",
    "FileKind",
    "PlannedFile",
    "Progress",
    "SummaryRow",
    "build_package",
    "export_package",
    "goes_in",
    "plan_export",
    "sources_place",
    "stays_here",
    "write_zip",
    "zip_bytes",
]

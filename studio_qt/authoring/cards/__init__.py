"""Character cards of other programs: V1, V2 and V3 in JSON, PNG and CHARX, both ways."""

"""Who answers: the choice of a connection beside the start page."""

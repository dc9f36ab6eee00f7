"""The character package: text on disk becomes a frozen `CharacterPackage` with its problems."""

"""Characters and chats that come from elsewhere: what they are, and where they go."""

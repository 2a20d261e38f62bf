"""What two sides agreed on: the permission query on the wire, and that both sources answer alike."""

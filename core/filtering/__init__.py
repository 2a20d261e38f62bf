"""The filter language: ``assignee:me due:<friday status:todo phase:2 text`` picks cards, on every view alike."""

"""Commands that run Podium and look after its workspace."""

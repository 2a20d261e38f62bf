"""A stand-in authorization service: a real HTTP server on loopback that answers from fixtures and can misbehave.

    def test_something(service):                  # the fixture of tests/conftest.py
        service.grant(user_id, account_id, "PROJECT_VIEW", "TASK_MOVE")
        engine.permissions = service.source()       # or start ``podium`` with ``service.environment``
        service.misbehave("hang")
        service.behave()

By hand: ``python -m tests.support.authorization_service --port 8700 --fixtures FILE``.
"""

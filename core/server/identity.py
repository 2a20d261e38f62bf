"""Who sends a request (issue of trust: spec, section 10): a token, or the account at the other end of a Unix socket.

Asked anew for each request, so that whoever is taken out is out at once, on connections that are open too.
"""

from __future__ import annotations

import hashlib
import pwd
from functools import partial

from core.access import Enrolment, Token
from core.application import Application
from core.errors import Unauthenticated
from core.model import User
from core.server.protocol import Peer
from core.sign_on import NOBODY
from core.work import Actor, View

OVERFLOW = 65534
"""The number that the kernel gives for accounts it cannot tell, those of other user namespaces among them."""

UNKNOWN_TOKEN = "This token is not valid. Ask for a new one: “podium token create”."  # noqa: S105


def actor_of(application: Application, authorization: str | None, peer: Peer | None) -> Actor:
    """The person who sends a request. A token that is sent decides alone, whoever is at the other end.

    Raises Unauthenticated.
    """
    if authorization is not None:
        return application.look(NOBODY, partial(_by_token, authorization))
    if peer is not None:
        return application.look(NOBODY, partial(_by_account, peer))
    raise Unauthenticated("Send a token: “Authorization: Bearer TOKEN”.")


def _by_token(authorization: str, view: View) -> Actor:
    scheme, _, secret = authorization.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Unauthenticated("Send a token as “Authorization: Bearer TOKEN”.")
    token = view.find(Token, hash=hash_of(secret.strip()))
    if token is None or token.revoked_at is not None or token.expires_at <= view.now:
        raise Unauthenticated(UNKNOWN_TOKEN)
    return _active(view, token.user_id, UNKNOWN_TOKEN)


def _by_account(peer: Peer, view: View) -> Actor:
    enrolment = view.find(Enrolment, uid=peer.uid)
    if enrolment is None or peer.uid == OVERFLOW or _os_user(peer.uid) != enrolment.os_user:
        raise Unauthenticated(
            f"Nobody in this workspace has the account with the number {peer.uid} of this machine. "
            "Ask a workspace admin to enrol you: “podium enrol OSUSER LOGIN”."
        )
    return _active(view, enrolment.user_id, "Your account is not active in this workspace. Ask a workspace admin.")


def _active(view: View, user_id: str, otherwise: str) -> Actor:
    user = view.find(User, id=user_id)
    if user is None or not user.active:
        raise Unauthenticated(otherwise)
    return Actor(user.id, "server")


def _os_user(uid: int) -> str | None:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


def hash_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()

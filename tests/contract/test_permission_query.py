"""The permission query on the wire: exactly what the source document (section 4.1) and the specification say."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.authorization.query_schema import LIMIT, GrantPage, read_page
from core.authorization.remote_query import is_json
from core.authorization.remote_source import RemotePermissions
from core.codec.strict_json import InvalidJson
from core.domain.grants import CacheControl, DecisionSource, PermissionQuery
from core.domain.permissions import Permission
from core.net.bearer_tokens import BearerToken
from core.record import replace
from tests.support.authorization_service.server import TOKEN, Service

ACCOUNT = "7b0c2a52-2c7e-4d1f-9f52-3a0a8f8f1c11"
PRODUCT = PermissionQuery("01JBOB", ACCOUNT, frozenset({"REPORT_VIEW", "REPORT_EDIT"}))
EXACT = CacheControl.NO_CACHE


@pytest.fixture
def ask(service: Service) -> Callable[..., frozenset[str]]:
    """Put a question to the stand-in, from a source of its own; an answer must come."""

    def ask(question: PermissionQuery, name: str = "remote") -> frozenset[str]:
        source = service.source(name)
        try:
            grant = source.grant(question, EXACT)
        finally:
            source.close()
        assert grant.authority == DecisionSource(name)
        return grant.held

    return ask


@pytest.mark.parametrize(
    ("name", "path"), [("remote", "/api/v20/users/permissions/query"), ("staging", "/api/v20/users/query")]
)
def test_the_request_is_exactly_the_documented_one(
    name: str, path: str, service: Service, ask: Callable[..., frozenset[str]]
) -> None:
    ask(PRODUCT, name)
    (request,) = service.requests
    assert (request.method, request.path) == ("POST", path)
    assert (
        request.body
        == json.dumps(
            {
                "filters": {
                    "limit": 100,
                    "offset": 0,
                    "account_id": ACCOUNT,
                    "user_id": "01JBOB",
                    "permission_codes": ["REPORT_EDIT", "REPORT_VIEW"],
                }
            }
        ).encode()
    )
    correlation_id = request.headers.pop("x-correlation-id")
    assert str(UUID(correlation_id)) == correlation_id
    assert request.headers == {
        "host": service.url.removeprefix("http://"),
        "content-type": "application/json",
        "content-length": str(len(request.body)),
        "accept": "application/json",
        "accept-encoding": "identity",
        "authorization": f"Bearer {TOKEN}",
        "connection": "keep-alive",
        "user-agent": "podium",
    }


def test_podium_asks_all_its_own_codes_at_once(service: Service, ask: Callable[..., frozenset[str]]) -> None:
    service.grant("01JBOB", ACCOUNT, Permission.TASK_MOVE)
    assert ask(replace(PRODUCT, codes=frozenset({Permission.TASK_MOVE}))) == {Permission.TASK_MOVE}
    assert service.requests[0].filters["permission_codes"] == sorted(code.value for code in Permission)


def test_each_question_has_a_correlation_id_of_its_own(service: Service, ask: Callable[..., frozenset[str]]) -> None:
    ask(PRODUCT)
    ask(PRODUCT)
    assert len({request.headers["x-correlation-id"] for request in service.requests}) == 2


@pytest.mark.parametrize(("others", "offsets"), [(0, [0]), (99, [0]), (100, [0, 100]), (250, [0, 100, 200])])
def test_pages_of_a_hundred_are_read_until_the_total(
    others: int, offsets: list[int], service: Service, ask: Callable[..., frozenset[str]]
) -> None:
    service.holdings.others = others
    service.grant("01JBOB", ACCOUNT, "REPORT_VIEW")
    assert ask(PRODUCT) == {"REPORT_VIEW"}, "the entry stands on the last page"
    assert [request.filters["offset"] for request in service.requests] == offsets
    assert {request.filters["limit"] for request in service.requests} == {100}
    assert len({request.headers["x-correlation-id"] for request in service.requests}) == 1


@pytest.mark.parametrize(
    ("largest", "others", "offsets"),
    [(50, 49, [0]), (50, 50, [0, 50]), (40, 90, [0, 40, 80]), (1, 3, [0, 1, 2, 3]), (1, 49, [*range(50)])],
)
def test_a_service_with_smaller_pages_is_read_by_its_pages(
    largest: int, others: int, offsets: list[int], service: Service, ask: Callable[..., frozenset[str]]
) -> None:
    service.holdings.others, service.holdings.largest_page = others, largest
    service.grant("01JBOB", ACCOUNT, "REPORT_VIEW")
    assert ask(PRODUCT) == {"REPORT_VIEW"}, "the entry stands on the last page"
    assert [request.filters["offset"] for request in service.requests] == offsets


def test_an_account_is_the_same_in_capitals(service: Service, ask: Callable[..., frozenset[str]]) -> None:
    service.holdings.in_capitals = True
    service.grant("01JBOB", ACCOUNT, "REPORT_VIEW")
    assert ask(PRODUCT) == {"REPORT_VIEW"}


def test_entries_of_other_accounts_and_codes_that_were_not_asked_for_do_not_count(
    service: Service, ask: Callable[..., frozenset[str]]
) -> None:
    service.holdings.others = 5
    service.grant("01JBOB", str(uuid4()), *PRODUCT.codes)
    service.grant("01JANN", ACCOUNT, *PRODUCT.codes)
    assert ask(PRODUCT) == frozenset()
    service.misbehave("codes not asked for")
    assert ask(PRODUCT) == frozenset()


def test_neither_proxies_nor_redirects_nor_a_netrc_are_followed(
    service: Service,
    ask: Callable[..., frozenset[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    netrc = tmp_path_factory.mktemp("home") / ".netrc"
    netrc.write_text("machine 127.0.0.1 login eve password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    ask(PRODUCT)
    assert service.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
    source = service.source()
    service.misbehave("307")
    assert source.grant(PRODUCT, EXACT).held == frozenset()
    source.close()
    assert len(service.requests) == 2


def test_the_token_is_in_no_log(
    service: Service, ask: Callable[..., frozenset[str]], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        ask(PRODUCT)
        service.misbehave("401")
        source = service.source()
        grant = source.grant(PRODUCT, EXACT)
        source.close()
    assert TOKEN not in caplog.text + repr(grant) + repr(source)


def test_user_ids_and_codes_are_data_whatever_they_hold(service: Service, ask: Callable[..., frozenset[str]]) -> None:
    odd = PermissionQuery('"}}\r\nX: 1 \U0001f600', ACCOUNT, frozenset({"A\nB", "Ä"}))
    service.grant(odd.user_id, ACCOUNT, *odd.codes)
    assert ask(odd) == odd.codes


_CODES = st.lists(st.sampled_from(["A", "B", "C"]) | st.text(max_size=3) | st.none() | st.booleans(), max_size=4)
_ENTRIES = st.fixed_dictionaries(
    {},
    optional={"account_id": st.sampled_from([ACCOUNT, str(UUID(int=7)), "x", 1, None]), "permissions": _CODES},
)
_NUMBERS = st.integers(-1, 3) | st.sampled_from([100, 0, 1, True, False, "1", None, 1.0])
_PAGES: st.SearchStrategy[object] = st.fixed_dictionaries(
    {},
    optional={
        "total_count": _NUMBERS,
        "data": st.lists(_ENTRIES | st.none() | st.text(max_size=2), max_size=3) | st.none() | st.just({}),
        "limit": st.sampled_from([100, 100, 100, 99, 1, 0, 101, True, "100", None]),
        "offset": st.sampled_from([0, 0, 0, 1, False, None]),
    },
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(_PAGES)
def test_a_page_is_either_exactly_right_or_refused(value: object) -> None:
    try:
        page = read_page(json.dumps(value).encode(), 0)
    except InvalidJson:
        return
    assert isinstance(value, dict)
    assert [type(value[name]) for name in ("total_count", "limit", "offset")] == [int, int, int]
    assert page == GrantPage(total_count=value["total_count"], limit=value["limit"], offset=0, data=page.data)
    assert 1 <= page.limit <= LIMIT
    assert len(page.data) == min(page.limit, page.total_count)
    for entry, given_entry in zip(page.data, value["data"], strict=True):
        assert str(UUID(entry.account_id)) == given_entry["account_id"]
        assert entry.permissions == frozenset(given_entry["permissions"])
        assert all(type(code) is str for code in entry.permissions)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("an id", r"Expected `object`, got `str` - at `\$.data\[0\]`"),
        (["account_id", "permissions"], r"Expected `object`, got `array` - at `\$.data\[0\]`"),
        ({"account_id": ACCOUNT, "permissions": "TASK_MOVE"}, r"Expected `array`, got `str`"),
        ({"account_id": ACCOUNT, "permissions": ["A", 1]}, r"got `int` - at `\$.data\[0\].permissions\[1\]`"),
        ({"account_id": 7, "permissions": []}, r"got `int` - at `\$.data\[0\].account_id`"),
        ({"account_id": f"{ACCOUNT}0", "permissions": []}, "is not a UUID"),
        ({"account_id": ACCOUNT, "permissions": [], "error": "?"}, "it has error beside its data"),
    ],
)
def test_an_entry_of_another_shape_is_refused_with_its_reason(entry: object, reason: str) -> None:
    page = {"total_count": 1, "data": [entry], "limit": LIMIT, "offset": 0}
    with pytest.raises(InvalidJson, match=reason):
        read_page(json.dumps(page).encode(), 0)


@pytest.mark.parametrize(
    ("content_type", "is_read"),
    [
        ("application/json", True),
        ("application/json; charset=utf-8", True),
        ('Application/JSON;charset="UTF-8"', True),
        ("application/json; version=1", True),
        ("application/json; charset=utf-16", False),
        ("application/json; charset=utf-8; charset=latin-1", False),
        ("text/html; charset=utf-8", False),
        ("", False),
    ],
)
def test_a_reply_is_json_in_utf_8_or_without_a_charset(content_type: str, is_read: bool) -> None:
    assert is_json(content_type) is is_read


@given(st.binary(max_size=200))
def test_bytes_that_are_no_page_are_refused_and_never_more_than_that(body: bytes) -> None:
    with pytest.raises(InvalidJson):
        read_page(body, 0)


def test_the_remote_source_is_a_source() -> None:
    from core.domain.grants import PermissionSource

    source: PermissionSource = RemotePermissions("remote", "http://127.0.0.1:1", lambda: BearerToken("", ""))
    source.invalidate()
    source.close()
    assert source.grant(PRODUCT, CacheControl.ONLY_IF_CACHED).held == frozenset()


def test_eight_levels_of_nesting_are_read_and_nine_are_not() -> None:
    page = {"total_count": 0, "data": [], "limit": LIMIT, "offset": 0}
    assert read_page(json.dumps(page | {"more": json.loads("[" * 7 + "]" * 7)}).encode(), 0) == GrantPage(
        total_count=0, limit=LIMIT, offset=0, data=()
    )
    with pytest.raises(InvalidJson):
        read_page(json.dumps(page | {"more": json.loads("[" * 8 + "]" * 8)}).encode(), 0)

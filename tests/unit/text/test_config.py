"""The configuration: file, environment, flags; each wrong value is named with where it stands."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from core.authorization.configured_source import configured_source
from core.authorization.local_source import LocalPermissions
from core.config import Config, default_db, load, settings
from core.domain.grants import PermissionSource
from core.errors import InvalidInput
from core.files.config_file import config_file
from core.files.user_folders import Kind, user_folder
from core.net.database_url import DatabaseUrl, database_place
from core.storage.sqlite.database import SqliteDatabase


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (own := tmp_path / "config.toml").touch()
    return {"PODIUM_CONFIG": str(own)}


@pytest.fixture(autouse=True)
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the host, which is not there at first."""
    monkeypatch.setattr("core.files.config_file.HOST_FILE", tmp_path / "host.toml")
    return tmp_path / "host.toml"


def write(environ: dict[str, str], text: str | bytes) -> None:
    Path(environ["PODIUM_CONFIG"]).write_bytes(text.encode() if isinstance(text, str) else text)


def test_without_anything_the_defaults_hold(environ: dict[str, str]) -> None:
    assert load(environ=environ) == Config(db=default_db(), synchronous="NORMAL", daily_backup=True)
    assert default_db().name == "podium.db"
    assert config_file({}).name == "config.toml"


def test_the_environment_wins_over_the_file_and_a_flag_over_both(environ: dict[str, str]) -> None:
    write(environ, 'db = "/file.db"\nsynchronous = "FULL"\ndaily_backup = false\n')
    environ |= {"PODIUM_DB": "/environment.db", "PODIUM_DAILY_BACKUP": "yes"}
    found = settings({"db": Path("/flag.db")}, environ)
    assert (found["db"].value, found["db"].source) == (Path("/flag.db"), "--db")
    assert (found["daily_backup"].value, found["daily_backup"].source) == (True, "PODIUM_DAILY_BACKUP")
    assert (found["synchronous"].value, found["synchronous"].source) == ("FULL", environ["PODIUM_CONFIG"])
    assert load(environ=environ).db == Path("/environment.db")


def test_a_tilde_is_the_home_folder_and_an_empty_variable_is_none(environ: dict[str, str]) -> None:
    write(environ, 'db = "~/work.db"')
    environ["PODIUM_DB"] = ""
    assert load(environ=environ).db == Path.home() / "work.db"


@pytest.mark.parametrize("name", ["db", "token_file", "auth_token_file"])
@pytest.mark.parametrize("value", ["~no-such-account/work", "/tmp/a\\u0000b"], ids=["account", "zero byte"])
def test_a_tilde_of_an_unknown_account_and_a_zero_byte_make_no_path(
    environ: dict[str, str], name: str, value: str
) -> None:
    write(environ, f'{name} = "{value}"')
    with pytest.raises(InvalidInput, match="is not valid"):
        load(environ=environ)


@pytest.mark.parametrize("name", ["~no-such-account/x", "/nowhere/config.toml"])
def test_a_file_that_the_variable_names_has_to_be_there(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"PODIUM_CONFIG names .*, which is not there"):
        load(environ={"PODIUM_CONFIG": name})


def test_the_file_of_the_host_is_read_below_the_persons_own(environ: dict[str, str], host: Path) -> None:
    host.write_text('max_tokens = 3\nserver = "unix:/run/podium.sock"\nidle_timeout_minutes = 5\n')
    write(environ, "idle_timeout_minutes = 9\n")
    found = settings(environ=environ)
    assert (found["max_tokens"].value, found["max_tokens"].source) == (3, str(host))
    assert (found["idle_timeout_minutes"].value, found["server"].value) == (9, "unix:/run/podium.sock")
    write(environ, 'db = "/own.db"')
    assert load(environ=environ).server == ""
    write(environ, "")
    assert load(environ=environ | {"PODIUM_DB": "/try.db"}).server == "", "not the workspace of the host"
    assert load(environ=environ | {"PODIUM_DB": "/try.db", "PODIUM_SERVER": "unix:/s"}).server == "unix:/s"
    host.write_text("max_token = 3")
    with pytest.raises(InvalidInput, match=f"{host} sets “max_token”, which is not a setting"):
        load(environ=environ)


def test_the_file_of_the_host_may_be_named_and_need_not_be_there(host: Path) -> None:
    assert load(environ={"PODIUM_CONFIG": str(host)}).db == default_db()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("PODIUM_MAX_TOKEN", "Do you mean PODIUM_MAX_TOKENS?"),
        ("PODIUM_TOKEN_FIL", "Do you mean PODIUM_TOKEN_FILE?"),
        ("PODIUM_COLOUR", "“podium config” lists the settings"),
    ],
)
def test_a_variable_that_is_no_setting_is_refused(environ: dict[str, str], name: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name} in the environment is not a setting") as refused:
        load(environ=environ | {name: "5"})
    assert words in str(refused.value)


def test_variables_of_others_that_begin_alike_are_left_alone(environ: dict[str, str]) -> None:
    theirs = ["PODIUM_PORT", "PODIUM_PORT_8443_TCP_ADDR", "PODIUM_SERVICE_HOST", "PODIUM_LAUNCH_CONTEXT", "PODIUM_AS"]
    assert load(environ=environ | dict.fromkeys(theirs, "tcp://10.0.0.1")).db == default_db()


@pytest.mark.parametrize("text", ["x = " + "[" * 3000, "x = " + "{a=" * 3000], ids=["lists", "tables"])
def test_too_many_brackets_in_one_another_are_refused(environ: dict[str, str], text: str) -> None:
    write(environ, text)
    with pytest.raises(InvalidInput, match="is nested too deeply"):
        load(environ=environ)


@pytest.mark.parametrize(
    ("word", "meant"), [("no", False), ("yes", True), ("false", False), ("0", False), ("On", True), ("T", True)]
)
def test_whether_screens_may_use_files_is_said_in_a_word(environ: dict[str, str], word: str, meant: bool) -> None:
    assert load(environ=environ).files is True
    write(environ, f"files = {str(not meant).lower()}")
    assert load(environ=environ | {"PODIUM_FILES": word}).files is meant


def test_lower_case_is_understood(environ: dict[str, str]) -> None:
    assert load(environ=environ | {"PODIUM_SYNCHRONOUS": "full"}).synchronous == "FULL"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('synchronous = "OFF"', ["config.toml", "synchronous", "'OFF'", "NORMAL or FULL"]),
        ("daily_backup = 7", ["config.toml", "daily_backup", "true or false"]),
        ("db = 5", ["config.toml", "db", "path"]),
        ('db = ""', ["config.toml", "db"]),
        ("colour = 1", ["config.toml", "colour", "db, server, token_file"]),
        ("db = ", ["config.toml", "TOML"]),
        (b"db = '\xff'", ["config.toml", "UTF-8"]),
        ('auth_url = "http://auth.example.com"', ["auth_url", "https", "on this machine"]),
        ("auth_url = 7", ["auth_url", "https"]),
        ("auth_timeout = 0", ["auth_timeout", "from 1 to 60"]),
        ("auth_timeout = 61", ["auth_timeout", "from 1 to 60"]),
        ("auth_cache_seconds = -1", ["auth_cache_seconds", "from 0 to 60"]),
        ("auth_cache_seconds = true", ["auth_cache_seconds", "from 0 to 60"]),
        ('auth_cache_seconds = "2e0"', ["auth_cache_seconds", "from 0 to 60"]),
        ("auth_cache_seconds = 2.5", ["auth_cache_seconds", "from 0 to 60"]),
        ('auth_codes = ["DELIVER", "APPROVE"]', ["auth_codes", "'APPROVE'", "DELIVER, GATE_DECIDE and METRICS_VIEW"]),
        (
            'auth_codes = "WORKFLOW_MANAGE"',
            ["auth_codes", "'WORKFLOW_MANAGE'", "DELIVER, GATE_DECIDE and METRICS_VIEW"],
        ),
        ("auth_codes = [1]", ["auth_codes", "DELIVER, GATE_DECIDE and METRICS_VIEW"]),
        ("auth_codes = true", ["auth_codes", "DELIVER, GATE_DECIDE and METRICS_VIEW"]),
        ("idle_timeout_minutes = 1441", ["idle_timeout_minutes", "from 1 to 1440, or 0 for never"]),
        ("idle_timeout_minutes = true", ["idle_timeout_minutes", "from 1 to 1440"]),
        ('auth_token_file = " "', ["auth_token_file", "only you can read"]),
        ('auth_token = "secret"', ["auth_token", "is not a setting"]),
    ],
)
def test_what_is_wrong_in_the_file_is_named(environ: dict[str, str], text: str | bytes, words: list[str]) -> None:
    write(environ, text)
    with pytest.raises(InvalidInput) as refused:
        load(environ=environ)
    assert all(word in str(refused.value) for word in words)


def test_what_is_wrong_in_the_environment_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=r"PODIUM_DAILY_BACKUP sets “daily_backup” to 'maybe'.*true or false"):
        load(environ=environ | {"PODIUM_DAILY_BACKUP": "maybe"})


ADDRESSES = ["auth_url", "auth_stage_url", "public_url"]


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize(
    "url",
    [
        "https://auth.example.com",
        "https://auth.example.com:8443/gateway/",
        "HTTPS://auth.example.com",
        "https://[2001:db8::1]",
        "http://localhost:8700",
        "http://127.0.0.1:8700/",
        "http://127.9.9.9",
        "http://[::1]:8700",
        "",
    ],
)
def test_an_address_is_https_or_on_this_machine(environ: dict[str, str], name: str, url: str) -> None:
    write(environ, f'{name} = "{url}"')
    assert getattr(load(environ=environ), name) == url.rstrip("/")


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize(
    "url",
    [
        "http://auth.example.com",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com",
        "http://0.0.0.0",
        "http://127.1",
        "http://2130706433",
        "http://[::ffff:127.0.0.1]",
        "http://[::2]",
        "ftp://auth.example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "auth.example.com",
        "https://",
        "https://?",
        "https://me:hunter2@auth.example.com",
        "https://me@auth.example.com",
        "https://auth.example.com?key=1",
        "https://auth.example.com#top",
        "https://auth.example.com:port",
        "https://auth.example.com:99999",
        "https://[::1",
        "https://auth.example.com\\@evil.example.com",
        "https://auth .example.com",
        "https://auth.example.com\t",
        "https://bücher.example.com",
        " ",
    ],
)
def test_any_other_address_is_refused(environ: dict[str, str], name: str, url: str) -> None:
    with pytest.raises(InvalidInput, match=f"PODIUM_{name.upper()} sets “{name}”.*https") as refused:
        load(environ=environ | {f"PODIUM_{name.upper()}": url})
    assert "hunter2" not in str(refused.value)


def test_the_settings_of_the_permission_service_are_read(environ: dict[str, str]) -> None:
    write(environ, 'auth_url = "https://auth.example.com/"\nauth_timeout = 10\nauth_token_file = "~/token"')
    found = load(environ=environ | {"PODIUM_AUTH_CACHE_SECONDS": "0", "PODIUM_AUTH_CODES": "deliver"})
    assert (found.auth_url, found.auth_timeout, found.auth_cache_seconds) == ("https://auth.example.com", 10, 0)
    assert found.auth_token_file == Path.home() / "token"
    assert found.auth_codes == ("DELIVER",)


def test_one_service_decides_or_none(environ: dict[str, str], database: SqliteDatabase) -> None:
    def source(**more: str) -> PermissionSource:
        return configured_source(
            load(environ=environ | {f"PODIUM_{name}": url for name, url in more.items()}), database
        )

    assert isinstance(source(), LocalPermissions)
    remote, staging = source(AUTH_URL="https://a.example.com"), source(AUTH_STAGE_URL="https://a.example.com")
    assert [getattr(each, "name", "") for each in (remote, staging)] == ["remote", "staging"]
    with pytest.raises(InvalidInput, match="Both auth_url and auth_stage_url"):
        source(AUTH_URL="https://a.example.com", AUTH_STAGE_URL="https://b.example.com")


def test_a_folder_in_the_place_of_the_file_is_said(environ: dict[str, str]) -> None:
    environ["PODIUM_CONFIG"] = str(Path(environ["PODIUM_CONFIG"]).parent)
    with pytest.raises(InvalidInput, match="cannot be read"):
        load(environ=environ)


# -- the URL of a database -------------------------------------------------------------------------------------------


WITH_PASSWORD = (
    "postgresql://app:s3cret@db.example.com:5433/podium?sslmode=verify-full",
    "postgres://app:s3cret@db1,db2/podium?target_session_attrs=read-write",
    "postgresql://app@/podium?host=/run/postgresql&password=s3cret",
    "postgresql://app@/podium?sslpassword=s3cret&host=/run/postgresql",
    "postgresql://:s3cret@/podium",
    "postgresql://app@/podium?host=/run/postgresql&pass%77ord=s3cret",
    "postgresql://app@/podium?oauth_client_secret=s3cret",
    "postgresql://app@/podium?passwd=s3cret&host=/run/postgresql",
)


@pytest.mark.parametrize("url", WITH_PASSWORD)
def test_the_password_of_a_url_is_kept_and_never_shown(url: str, environ: dict[str, str]) -> None:
    db = load(environ=environ | {"PODIUM_DB": url}).db
    assert isinstance(db, DatabaseUrl)
    assert db.secret == url
    assert db.has_password
    assert "s3cret" not in f"{db} {db!r} {load(environ=environ | {'PODIUM_DB': url})!r}"
    assert not database_place_without_password(str(db)).has_password
    with pytest.raises(InvalidInput) as refusal:
        load({"db": url}, environ)
    assert "on the command line" in str(refusal.value)
    assert "s3cret" not in str(refusal.value)


def database_place_without_password(text: str) -> DatabaseUrl:
    """The URL as it is shown, read again."""
    place = database_place(text)
    assert isinstance(place, DatabaseUrl)
    return place


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:s3/cret@db.example.com/podium",
        "postgresql://app:s3@cret@db.example.com/podium",
        "postgresql://app:s3?cret@db.example.com/podium",
        "postgresql://app:s3#cret@db.example.com/podium",
        "postgresql://db.example.com",
        "postgresql://db.example.com/",
        "postgresql://app@db.example.com/podium\npassword=s3cret",
        "postgresql://app@db.example.com/pödium",
        "postgresql://",
        "postgresql+psycopg://app:s3cret@db.example.com/podium",
        "POSTGRESQL://app:s3cret@db.example.com/podium",
        " postgresql://app:s3cret@db.example.com/podium",
        "postgresq://app:s3cret@db.example.com/podium",
        "postgresql:/app:s3cret@db.example.com/podium",
        "postgres:app:s3cret@db.example.com/podium",
        "jdbc:postgresql://db.example.com/podium?password=s3cret",
        "mysql://app:s3cret@db.example.com/podium",
        "host=db.example.com password=s3cret",
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_its_password(url: str, environ: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="postgresql://ROLE@HOST/DATABASE") as refusal:
        load(environ=environ | {"PODIUM_DB": url})
    assert "cret" not in str(refusal.value)


def test_a_password_is_read_from_a_file_that_only_its_owner_can_read(environ: dict[str, str]) -> None:
    write(environ, f'db = "{WITH_PASSWORD[0]}"')
    Path(environ["PODIUM_CONFIG"]).chmod(0o644)
    with pytest.raises(InvalidInput, match=r"other accounts can read the file.*chmod 600") as refusal:
        load(environ=environ)
    assert "s3cret" not in str(refusal.value)
    Path(environ["PODIUM_CONFIG"]).chmod(0o600)
    assert str(load(environ=environ).db) == "postgresql://app@db.example.com:5433/podium?sslmode=verify-full"


def test_a_url_without_a_password_stands_in_any_file_and_on_the_command_line(environ: dict[str, str]) -> None:
    url = "postgresql://app@db.example.com/podium"
    write(environ, f'db = "{url}"')
    Path(environ["PODIUM_CONFIG"]).chmod(0o644)
    assert load(environ=environ).db == DatabaseUrl(url) == load({"db": url}, environ).db


@pytest.mark.parametrize("kind", ["config", "data", "state"])
@pytest.mark.parametrize("named", [None, "", " ", "relative", "/abs", "/abs/", "~/x"])
@pytest.mark.parametrize("home", ["/home/ann", "/home/ann/", "/", "", "relative"])
def test_the_folders_of_the_user_are_those_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, named: str | None, home: str
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.delenv(f"XDG_{kind.upper()}_HOME", raising=False)
    if named is not None:
        monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", named)
    assert user_folder(kind) == getattr(platformdirs, f"user_{kind}_path")("podium", appauthor=False)

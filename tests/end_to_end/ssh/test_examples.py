"""The example files for administrators: what the programs they are for say of them, and whom the Match block is for."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from core import VERSION
from core.config import load
from core.net.database_url import DatabaseUrl
from core.server.requests.bounds import limits
from tests.docs.readme import EXAMPLES
from tests.support.ssh.shared_host import SharedHost
from tests.support.system_programs import needs
from tui.cli.program import podium

RISK = 2.0
"""What ``systemd-analyze security`` may find at most, of 10."""

FLAGS = re.MULTILINE | re.DOTALL
UNITS = ("podium.service", "podium-web.service", "podium.socket")


@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    """The units with a program that exists, since systemd looks for it."""
    for name in UNITS:
        text = (EXAMPLES / name).read_text()
        (tmp_path / name).write_text(text.replace("/opt/podium/bin/python", "/usr/bin/true"))
    return [str(tmp_path / name) for name in UNITS]


@pytest.fixture
def on_postgres(units: list[str], tmp_path: Path) -> None:
    """The unit of the server with the settings for PostgreSQL."""
    settings = (EXAMPLES / "podium-postgresql.conf").read_text().replace("/opt/podium/bin/python", "/usr/bin/true")
    (tmp_path / "podium.service.d").mkdir()
    (tmp_path / "podium.service.d" / "postgresql.conf").write_text(settings)


@pytest.mark.usefixtures("on_postgres")
def test_systemd_finds_no_fault_in_the_settings_for_postgres(units: list[str], tmp_path: Path) -> None:
    test_systemd_finds_no_fault_in_the_units(units)
    unit, folder = tmp_path / "podium.service", tmp_path / "podium.service.d"
    assert "LoadCredential" not in unit.read_text()
    (folder / "postgresql.conf").write_text((folder / "postgresql.conf").read_text().replace("pgpass:", "../pgpass:"))
    assert "not valid" in analyzed("verify", "--man=no", *units).stderr, "it reads the settings"


def test_the_settings_for_postgres_name_options_and_a_url_that_podium_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (EXAMPLES / "podium-postgresql.conf").read_text()
    (run,) = re.findall(r"^ExecStart=\S+ -I -m podium (.*)$", text, re.MULTILINE)
    (url,) = re.findall(r"PODIUM_DB=(\S+)", text)
    monkeypatch.setenv("PODIUM_CONFIG", os.devnull)
    monkeypatch.setenv("PODIUM_DB", url)
    result = CliRunner().invoke(podium, shlex.split(run.replace("${CREDENTIALS_DIRECTORY}", "/nowhere")))
    assert "/nowhere/server.pem cannot be read" in result.stderr, "all else is in order"
    assert isinstance(load().db, DatabaseUrl)


def analyzed(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([needs("systemd-analyze"), *words], capture_output=True, text=True, check=False)


def test_systemd_finds_no_fault_in_the_units(units: list[str]) -> None:
    done = analyzed("verify", "--man=no", *units)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_services_may_do_little(units: list[str]) -> None:
    for unit in units[:2]:
        done = analyzed("security", "--offline=true", f"--threshold={RISK * 10:.0f}", unit)
        assert done.returncode == 0, done.stdout


def test_the_services_have_bounds_that_podium_stays_below(units: list[str]) -> None:
    for unit in units[:2]:
        text = Path(unit).read_text()
        found = dict(re.findall(r"^(MemoryMax|TasksMax|LimitNOFILE)=(\S+)$", text, re.MULTILINE))
        assert found.keys() == {"MemoryMax", "TasksMax", "LimitNOFILE"}
        assert int(found["LimitNOFILE"]) >= 2 * limits.MAX_CONNECTIONS + limits.OTHER_FILES


def test_the_unit_of_the_gateway_names_options_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PODIUM_TOKEN", raising=False)
    monkeypatch.setenv("PODIUM_CONFIG", os.devnull)
    (run,) = re.findall(
        r"^ExecStart=\S+ -I -m podium (.*?[^\\])$", (EXAMPLES / "podium-web.service").read_text(), FLAGS
    )
    result = CliRunner().invoke(podium, shlex.split(run.replace("\\\n", "")))
    assert "/etc/podium/web/certificate.pem cannot be read" in result.stderr, "all else is in order"


def test_each_container_is_a_user_without_rights_who_writes_no_root() -> None:
    """The syntax alone: no image is built here."""
    composed = import_module("yaml").safe_load((EXAMPLES / "compose.yaml").read_text())
    assert composed["services"].keys() == {"server", "migrate", "database", "nginx"}
    for name, service in composed["services"].items():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"]), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert int(service["user"].partition(":")[0]) > 0, name
        assert {each.partition(":")[0] for each in service["volumes"] if each[0] != "."} <= composed["volumes"].keys()
        assert set(service.get("secrets", [])) <= composed["secrets"].keys()
    assert composed["services"]["nginx"]["ports"] == ["443:443"]
    assert [name for name, service in composed["services"].items() if "ports" in service] == ["nginx"]


def test_the_image_starts_podium_with_options_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (EXAMPLES / "Containerfile").read_text().replace("\\\n", "")
    steps = [line.split(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    assert {name for name, _ in steps} <= {"FROM", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    last = dict(steps)
    assert last["USER"] == "podium"
    assert json.loads(last["ENTRYPOINT"]) == ["/opt/podium/bin/python", "-I", "-m", "podium"]
    composed = import_module("yaml").safe_load((EXAMPLES / "compose.yaml").read_text())
    assert composed["services"]["server"]["image"].partition(":")[2] == VERSION
    monkeypatch.setenv("PODIUM_CONFIG", os.devnull)
    for words in (json.loads(last["CMD"]), *(composed["services"][name]["command"] for name in ("server", "migrate"))):
        assert CliRunner().invoke(podium, [*words, "--help"]).exit_code == 0
        assert "No such option" not in CliRunner().invoke(podium, [*words, "--db", "/nowhere/x.db"]).stderr


def settings(host: SharedHost, name: str) -> dict[str, str]:
    """The settings of sshd for an account, by name in lower case, as newer versions print them in mixed case."""
    argv = [needs("sshd"), "-T", "-f", str(host.folder / "sshd_config"), "-C", f"user={name},host=h,addr=127.0.0.1"]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = (line.split(" ", 1) for line in lines if " " in line)
    return {name.lower(): value for name, value in pairs}


def test_the_block_is_only_for_people_of_the_group(host: SharedHost) -> None:
    held = settings(host, host.maya.pw_name)
    assert held["forcecommand"] == f"{host.python} -I -m podium --server unix:{host.socket}"
    for name in ("allowtcpforwarding", "allowstreamlocalforwarding", "allowagentforwarding", "x11forwarding"):
        assert held[name] == "no"
    assert (held["permittunnel"], held["permituserrc"]) == ("no", "no")
    free = settings(host, host.service.pw_name)
    assert (free["forcecommand"], free["allowtcpforwarding"]) == ("none", "yes")


def test_who_administers_the_host_keeps_their_shell(host: SharedHost) -> None:
    with host.administers(host.maya):
        assert settings(host, host.maya.pw_name)["forcecommand"] == "none"
    assert settings(host, host.maya.pw_name)["forcecommand"] != "none"

"""nginx in front of a server of the tests, with the configuration that Podium gives to administrators."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import tempfile
from pathlib import Path

import httpx

import core.server
from core.server.transport.tls import Tls
from tests.support.system_programs import free_port, listens, needs

EXAMPLE = Path(core.server.__file__).with_name("examples") / "nginx.conf"

AROUND = """
{user}
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/podium.conf;
}}
"""
"""What a distribution has in its nginx.conf, as far as the example needs it."""

CERTIFICATE = (
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=podium.example.com "
    "-addext subjectAltName=DNS:podium.example.com,IP:127.0.0.1"
)


def make_certificate(folder: Path) -> Tls:
    """A certificate of this machine's, and its key, in files of a folder."""
    tls = Tls(folder / "certificate.pem", folder / "key.pem")
    made = [needs("openssl"), *CERTIFICATE.split(), "-out", str(tls.certificate), "-keyout", str(tls.key)]
    subprocess.run(made, check=True, capture_output=True)
    tls.key.chmod(0o600)
    return tls


class Gateway:
    """Runs as ``www-data`` where root starts it. Use it as a context."""

    def __init__(self, *upstreams: Path | int, **changed: str) -> None:
        """``upstreams`` is the socket of a server, or the ports of several servers with the certificate of the gateway.

        ``changed`` are directives of the example that have another value here.
        """
        self._nginx = needs("nginx")
        self._folder = Path(tempfile.mkdtemp(prefix="n", dir="/tmp"))
        tls = make_certificate(self._folder)
        self.tls, self.certificate = tls, tls.certificate
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        paths = {
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "/etc/nginx/podium/certificate.pem": str(self.certificate),
            "/etc/nginx/podium/key.pem": str(tls.key),
        } | {f"{name} {old};": f"{name} {new};" for name, (old, new) in _pairs(changed)}
        text = _with_upstreams(EXAMPLE.read_text(encoding="utf-8"), upstreams, self.certificate)
        for old, new in paths.items():
            assert old in text, old
            text = text.replace(old, new)
        (self._folder / "podium.conf").write_text(text, encoding="utf-8")
        user = "user www-data;" if os.geteuid() == 0 else ""
        (self._folder / "nginx.conf").write_text(AROUND.format(folder=self._folder, user=user))
        for socket in upstreams:
            for path in (socket, socket.parent) if isinstance(socket, Path) else ():
                if path.exists():
                    path.chmod(0o777)
        self._folder.chmod(0o755)

    def __enter__(self) -> Gateway:
        self._process = subprocess.Popen(
            [self._nginx, "-c", str(self._folder / "nginx.conf"), "-e", str(self._folder / "error.log")],
            stderr=subprocess.PIPE,
        )
        assert listens(self.port, self._process), (self._folder / "error.log").read_text()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=30)
        shutil.rmtree(self._folder)

    def client(self, token: str = "") -> httpx.Client:
        """A client that trusts the certificate."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, verify=context, headers=headers, timeout=30, trust_env=False)


def _with_upstreams(text: str, upstreams: tuple[Path | int, ...], certificate: Path) -> str:
    """The example with a line for each server; with ports, changed as its comment says for several servers."""
    (options,) = re.findall(r"^#     server 10\.0\.0\.11:8443 (.*;)$", text, re.MULTILINE)
    lines = [f"unix:{each};" if isinstance(each, Path) else f"127.0.0.1:{each} {options}" for each in upstreams]
    changes = {"    server unix:/run/podium/podium.sock;\n": "".join(f"    server {line}\n" for line in lines)}
    if not isinstance(upstreams[0], Path):
        changes |= {
            "proxy_pass http:": "proxy_pass https:",
            "# proxy_ssl": "proxy_ssl",
            "/etc/nginx/podium/servers.pem": str(certificate),
        }
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def _pairs(changed: dict[str, str]) -> list[tuple[str, tuple[str, str]]]:
    """``proxy_read_timeout="30s 1s"`` as the name, the old value and the new one."""
    halves = ((name, value.partition(" ")) for name, value in changed.items())
    return [(name, (old, new)) for name, (old, _, new) in halves]

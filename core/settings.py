"""Conversion of configuration values, through pydantic-settings; imported only when a value needs it."""

# ruff: noqa: ARG003 (pydantic-settings passes all sources by name)

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from core.config import MINUTES, QUOTAS, SECONDS
from core.net.server_address import server_address
from core.text.urls import service_address


def _upper(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def _not_blank(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise ValueError("blank")
    return value


def _a_server(value: str) -> str:
    if value:
        server_address(value)
    return value


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("true and false are not numbers")
    return value


def _within(numbers: range) -> Any:
    return Field(ge=numbers.start, lt=numbers.stop)


Quota = Annotated[int, BeforeValidator(_no_truth), _within(QUOTAS)]
Address = Annotated[str, AfterValidator(service_address)]


class Settings(BaseSettings):
    """Converts one value at a time; ``core.config`` has already chosen its source."""

    db: Annotated[Path, BeforeValidator(_not_blank)] = Path()
    synchronous: Annotated[Literal["NORMAL", "FULL"], BeforeValidator(_upper)] = "NORMAL"
    daily_backup: bool = True
    server: Annotated[str, AfterValidator(_a_server)] = ""
    token_file: Annotated[Path, BeforeValidator(_not_blank)] | None = None
    auth_url: Address = ""
    auth_stage_url: Address = ""
    auth_token_file: Annotated[Path, BeforeValidator(_not_blank)] | None = None
    auth_timeout: Annotated[int, BeforeValidator(_no_truth), _within(SECONDS["auth_timeout"])] = 3
    auth_cache_seconds: Annotated[int, BeforeValidator(_no_truth), _within(SECONDS["auth_cache_seconds"])] = 5
    public_url: Address = ""
    files: bool = True
    idle_timeout_minutes: Annotated[int, BeforeValidator(_no_truth), _within(MINUTES)] = 0
    max_tokens: Quota = 1
    max_sessions: Quota = 1
    max_projects: Quota = 1
    max_projects_a_day: Quota = 1
    max_imports_a_day: Quota = 1
    max_megabytes_a_day: Quota = 1

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)

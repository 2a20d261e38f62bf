"""The values of the configuration that need converting, through pydantic-settings; imported only for those."""

# ruff: noqa: ARG003 (the library passes all sources by name)

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource


def _upper(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def _not_blank(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise ValueError("blank")
    return value


class Settings(BaseSettings):
    """One value at a time, as ``core.config`` found it: where it comes from is decided there."""

    db: Annotated[Path, BeforeValidator(_not_blank)] = Path()
    synchronous: Annotated[Literal["NORMAL", "FULL"], BeforeValidator(_upper)] = "NORMAL"
    backups: bool = True

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

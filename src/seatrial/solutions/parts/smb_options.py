"""The keys of the solution `smb`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from seatrial.basics.schema import Model, Size, versions
from seatrial.basics.text import FilePath, MountOptions
from seatrial.plan.site import Site
from seatrial.solutions.parts.single_server import ServerOptions
from seatrial.study.study import Study

RESERVED_OPTIONS = {
    "vers": "mount.version",
    **dict.fromkeys(("ip", "addr", "unc", "servern", "servernetbiosname"), "server"),
    **dict.fromkeys(("port", "rdma"), "the plan: its server listens on TCP port 445"),
    "domain": "credentials",
    "seal": "share.encryption",
    **{key: f"mount.{key}" for key in ("cache", "rsize", "wsize")},
    **dict.fromkeys(("guest", "sec"), "guest"),
    **dict.fromkeys(("username", "user", "credentials", "cred"), "credentials"),
    **dict.fromkeys(
        (f"pass{end}{n}" for end in ("", "wd", "word") for n in ("", 1, 2)), "credentials"
    ),
}
"""mount options that another key sets"""


def _checked_password(password: str) -> str:
    """The password; a function, because the error message of a pattern would print it."""
    if (
        not 8 <= len(password) <= 127
        or not password.isascii()
        or not password.isprintable()
        or " " in password
    ):
        raise ValueError("write 8 to 127 ASCII characters without a blank")
    return password


class Share(Model):
    """`share: {sync: strict, encryption: required}`."""

    sync: Literal["strict", "always", "never"] = Field(
        "strict",
        description=(
            "`strict`: flushed data are on the disks when the server answers. `always`: "
            "all writes are. `never`: flushes are ignored."
        ),
    )
    encryption: Literal["auto", "off", "desired", "required"] = Field(
        "auto",
        description=(
            "`auto`: if the client requests it. `desired`: with every capable client. "
            "`required`: needs version 3.0 or later."
        ),
    )
    signing: Literal["auto", "required"] = Field(
        "auto",
        description="`auto`: if the client requests it.",
    )


class Mount(Model):
    """`mount: {version: 3.1.1, cache: strict, options: [hard]}`."""

    version: Annotated[
        Literal["2.1", "3.0", "3.1.1"], BeforeValidator(str), versions("2.1", "3.0", "3.1.1")
    ] = Field(
        "3.1.1",
        description="SMB version.",
    )
    options: MountOptions = Field(
        ("hard",),
        description="Additional options of mount.cifs, such as `uid=`, `file_mode=` or `nobrl`.",
    )
    cache: Literal["strict", "none", "loose"] = Field(
        "strict",
        description=(
            "`strict`: as leases of the server allow. `none`: no cache. `loose`: also "
            "without a lease; reads may be stale."
        ),
    )
    rsize: Size | None = Field(None, description="Largest read request. By default as negotiated.")
    wsize: Size | None = Field(None, description="Largest write request. By default as negotiated.")


class Options(ServerOptions):
    """The keys of `solution` when its kind is smb."""

    kind: Literal["smb"]
    share: Share = Field(Share(), description="Settings of the share.")
    mount: Mount = Field(Mount(), description="How clients mount it.")
    password: Annotated[str, AfterValidator(_checked_password)] | None = Field(
        None,
        description=(
            "Lab only: at least 8 ASCII characters, masked in plans and results. By default"
            " generated."
        ),
    )
    credentials: FilePath | None = Field(
        None,
        description=(
            "File on the server and every client, for root only, with the line `password=...`."
        ),
    )
    guest: bool = Field(False, description="No password, with a warning in the report.")


def check_access(study: Study, site: Site, options: Options) -> None:
    """InputError when the ways to log in contradict each other, the site or the share."""
    share = options.share
    login_keys = [key for key in ("password", "credentials", "guest") if getattr(options, key)]
    if len(login_keys) > 1:
        problem = f"{login_keys[0]} is also given; leave one of them out"
        raise study.mistake(("solution", login_keys[1]), problem)
    if not login_keys and not site.traits.holds_secrets:
        problem = "on real hosts state how clients log in: credentials (a file there) or guest"
        raise study.mistake(("solution",), problem)
    if options.password and not site.traits.holds_secrets:
        problem = "on real hosts a study must not contain a secret; use credentials"
        raise study.mistake(("solution", "password"), problem)
    if options.guest and "required" in (share.encryption, share.signing):
        problem = "signing and encryption need a key, and guests have no password"
        raise study.mistake(("solution", "guest"), problem)
    if share.encryption == "required" and options.mount.version == "2.1":
        problem = "SMB 2.1 has no encryption; write 3.0 or 3.1.1"
        raise study.mistake(("solution", "mount", "version"), problem)

"""Secrets taken out of what people and records see: passwords in URLs, keys in parameters."""

import re
from urllib.parse import parse_qsl, unquote, urlsplit

_SECRET_WORDS = "password|passwd|pwd|key|token|secret|signature|sig|credential|auth"
_SECRET_PARAMETER = re.compile(
    rf"(?i)((?:^|[?&;\s])[^=&;?\s]*(?:{_SECRET_WORDS})=)(?:'[^']*'|\"[^\"]*\"|[^&;\s]*)"
)
_SECRET_NAME = re.compile(rf"(?i)(?:{_SECRET_WORDS})$")
_USER_WITHOUT_SCHEME = re.compile(r"(?<![^\s/\'\"])[^\s/:@?&=]+:[^\s/@]+@(?=[\w.\[])")


def hide_password(url: str) -> str:
    """``url`` without its credentials, for people and records.

    >>> hide_password("postgresql://ann:s@cr/et@host/db?sslpassword=x")
    'postgresql://***@host/db?sslpassword=***'
    >>> hide_password("ann:secret@host/db"), hide_password("host=box password=x")
    ('***@host/db', 'host=box password=***')
    >>> hide_password("shop.sqlite")
    'shop.sqlite'
    """
    scheme, separator, rest = url.partition("://")
    if separator and "@" in rest:
        rest = "***@" + rest.rpartition("@")[2]
    elif not separator:
        scheme = _USER_WITHOUT_SCHEME.sub("***@", scheme)
    return _SECRET_PARAMETER.sub(r"\1***", scheme + separator + rest)


def secrets_in(url: str) -> set[str]:
    """The secret parts of a URL, as they are written and as they are meant.

    >>> sorted(secrets_in("http://ann:p%40ss@box/v1?api_key=k1"))
    ['k1', 'p%40ss', 'p@ss']
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return set()
    written = parts.netloc.rpartition("@")[0].partition(":")[2]
    found = {written, unquote(written)}
    found.update(value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name))
    return found - {""}

"""The reference pages and the manual page, from what the program says of itself.

    manual.py reference PROGRAM SCHEMAS OUT   writes commands.md, specifications.md and json.md
    manual.py man PROGRAM                     prints the manual page as Markdown for pandoc -t man

scripts/manual.sh calls it.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

GENERATED = "<!-- Written by scripts/manual.sh; do not edit. -->\n\n"


def says(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


class Help:
    """The text of `tapalab COMMAND --help` in parts."""

    def __init__(self, text):
        lines = text.splitlines()
        usage = next(i for i, line in enumerate(lines) if line.startswith("Usage: "))
        self.description = " ".join(lines[:usage]).strip()
        self.usage = lines[usage].removeprefix("Usage: ").strip()
        self.options = []  # (name, text), positionals first
        self.example = []
        section = ""
        for line in lines[usage + 1 :]:
            if line and not line.startswith(" "):
                section = line.rstrip(":")
            elif section == "Example" and line.strip():
                self.example.append(line.strip())
            elif section in ("Positionals", "Options") and line.strip():
                self._option(line)
        if not (self.description and self.options and self.example):
            raise SystemExit(f"a part of the help is missing: {lines[usage]}")

    def _option(self, line):
        if line.startswith(" " * 20):  # the rest of the one before
            name, text = self.options.pop()
            self.options.append((name, f"{text} {line.strip()}".strip()))
            return
        name, _, text = line.strip().partition("  ")
        self.options.append((name.replace("-h,--help", "-h, --help"), text.strip()))


def commands_of(program):
    """[(name, summary, Help)] in the order of the program."""
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", says(program, "--help"), re.M).group(1)
    found = []
    for line in listed.splitlines():
        name, summary = line.split(None, 1)
        found.append((name, summary.strip(), Help(says(program, name, "--help"))))
    return found


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def code(text):
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def commands_page(program):
    commands = commands_of(program)
    page = "# Commands\n\n" + GENERATED
    page += (
        "What `tapalab COMMAND --help` says. In a clone `./run.sh COMMAND` builds the program first. What\n"
        "`--encoding` and `--density` take is in [specifications](specifications.md), what `--format json`\n"
        "writes in [JSON](json.md), the exit codes are in the [README](../../README.md#how-a-run-ends).\n\n"
    )
    page += table(("command", ""), [(f"[{name}](#{name})", cell(what)) for name, what, _ in commands])
    for name, _, told in commands:
        page += f"\n## {name}\n\n{cell(told.description)}\n\n    {told.usage}\n\n"
        page += table(("option", "meaning"), [(code(a), cell(b)) for a, b in told.options])
        page += "\nExample:\n\n" + "".join(f"    {line}\n" for line in told.example)
    return page


def listed(program, kind):
    return json.loads(says(program, "list", kind, "--format", "json"))["items"]


def catalogue(program, kind):
    page = ""
    for entry in listed(program, kind):
        page += f"\n### {entry['name']}\n\n{cell(entry['meaning'])}\n"
        rows = []
        for key in entry["keys"]:
            name = ("[a.\\|p.]" if key["prefixable"] else "") + key["name"]
            default = "required" if key["required"] else code(key["default"])
            rows.append((f"`{name}`", default, cell(key["accepted"]), cell(key["meaning"])))
        if rows:
            page += "\n" + table(("key", "default", "accepted", "meaning"), rows)
    return page


def specifications_page(program):
    page = "# Specifications\n\n" + GENERATED
    page += (
        "What `tapalab list` says. A specification is `NAME` or `NAME:KEY=VALUE,KEY=VALUE`; a value with a comma,\n"
        "a semicolon or a space stands in double quotes. Numbers are exact decimals: `0.1` is one tenth. `a.KEY`\n"
        "and `p.KEY` set a key of a density for the amplitude and the phase coordinates apart.\n\n"
    )
    page += "## Encodings\n\n`--encoding SPEC`.\n" + catalogue(program, "encodings")
    page += "\n## Densities\n\n`--density SPEC`, of a query and a key together.\n"
    page += catalogue(program, "densities")
    page += "\n## Engines\n\n`--engine E`.\n\n"
    rows = [(code(e["name"]), cell(e["meaning"])) for e in listed(program, "engines")]
    page += table(("engine", "meaning"), rows)
    page += "\n## Claims\n\n`tapalab verify CLAIM`; *recorded* is the verdict that it must reproduce.\n\n"
    rows = [
        (code(c["id"]), c["recorded"], cell(c["source"]), cell(c["statement"]))
        for c in listed(program, "claims")
    ]
    return page + table(("claim", "recorded", "source", "statement"), rows)


class Schema:
    """One file of docs/schema."""

    def __init__(self, file):
        self.name = file.stem
        self.root = json.loads(file.read_text())
        self.definitions = self.root.get("definitions", {})
        self.places = {}  # definition -> anchor of its section

    def kind(self, schema):
        """What values a field takes, in a word or two."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            if self.is_plain(name):
                return self.kind(self.definitions[name])
            return f"[{name}](#{self.places.get(name, name)})"
        if "const" in schema:
            return code(str(schema["const"]))
        if "enum" in schema:
            return ", ".join("null" if v is None else code(str(v)) for v in schema["enum"])
        if "anyOf" in schema:
            return " or ".join(dict.fromkeys(self.kind(choice) for choice in schema["anyOf"]))
        if schema.get("type") == "array":
            return "list of " + self.kind(schema["items"])
        others = schema.get("additionalProperties")
        if isinstance(others, dict) and not schema.get("properties"):
            return "object of " + self.kind(others)
        return schema["type"]

    def is_plain(self, name):
        """Text, or a list: named by its kind, without a section."""
        return self.definitions[name].get("type") in ("string", "array")

    def rows(self, schema, path):
        """(field, values, meaning) of every field below, those of definitions left to them."""
        found = {}
        for choice in schema.get("anyOf", []):
            found.update({row[0]: row for row in self.rows(choice, path)})
        if isinstance(schema.get("items"), dict):
            return [*found.values(), *self.rows(schema["items"], path + "[]")]
        for name, field in schema.get("properties", {}).items():
            here = f"{path}.{name}" if path else name
            meaning = field.get("description")
            if meaning is None:
                raise SystemExit(f"docs/schema/{self.name}.json: {here} has no description")
            if name not in schema.get("required", []):
                meaning += "; may be absent"
            found[here] = (code(here), self.kind(field), cell(meaning))
            found.update({row[0]: row for row in self.rows(field, here)})
        return list(found.values())


# Definitions whose fields `tapalab list` explains.
SPECIFIED = {"encoding": "encodings", "density": "densities"}


def sentence(text):
    return cell(text[0].upper() + text[1:]) + "." if text else ""


def section(schema, definition, rows):
    """The text of a definition, without its heading."""
    text = sentence(schema.definitions[definition].get("description", "")) + "\n"
    if definition in SPECIFIED:
        page = SPECIFIED[definition]
        return text + f"\nKeys and meanings: [specifications](specifications.md#{page}).\n"
    return text + ("\n" + table(("field", "values", "meaning"), rows) if rows else "")


def common_rows(schemas, definition):
    """The fields of a definition that several schemas share, each field that any of them has; None
    where two of them differ in a field."""
    if definition in SPECIFIED:
        return []
    union = {}
    for schema in schemas:
        for row in schema.rows(schema.definitions[definition], ""):
            if union.setdefault(row[0], row) != row:
                return None
    return list(union.values())


def json_page(folder):
    schemas = [Schema(file) for file in sorted(folder.glob("*.json"))]
    users = {}  # definition -> schemas that have it
    for schema in schemas:
        for name in schema.definitions:
            if not schema.is_plain(name):
                users.setdefault(name, []).append(schema)
    common = {}
    for name, who in users.items():
        rows = common_rows(who, name) if len(who) > 1 else None
        if rows is not None:
            common[name] = rows
        for schema in who:
            schema.places[name] = name if rows is not None else f"{schema.name}-{name}"
    page = "# JSON\n\n" + GENERATED
    page += (
        "What `--format json` writes, field by field; the schemas themselves (JSON Schema, draft 7) are in\n"
        "`docs/schema`. Decimals are strings in scientific notation with any exponent; where a `decimal` stands beside a\n"
        "`value`, the decimal is the result and the value its nearest double. `a.b` is field b of the object a, `a[].b`\n"
        "field b of each object of the list a.\n\n"
    )
    for schema in schemas:
        page += f"- [{schema.name}](#{schema.name}): {schema.root['title']}\n"
    page += "- [common parts](#common-parts)\n"
    for schema in schemas:
        page += f"\n## {schema.name}\n\n{schema.root['title']}.\n\n"
        page += table(("field", "values", "meaning"), schema.rows(schema.root, ""))
        for name in schema.definitions:
            if name in users and name not in common:
                rows = schema.rows(schema.definitions[name], "")
                page += f"\n### {schema.name}: {name}\n\n{section(schema, name, rows)}"
    page += "\n## Common parts\n"
    for name, rows in common.items():
        page += f"\n### {name}\n\n{section(users[name][0], name, rows)}"
    return page


def man_text(text):
    return re.sub(r"([\\`*_{}\[\]<>#|~^$@'\"-])", r"\\\1", text)


def man_page(program):
    version = says(program, "--version").split()[1]
    page = f"% TAPALAB(1) tapalab {version}\n\n"
    page += "# NAME\n\ntapalab - measures and certifies positional encodings of attention\n\n"
    page += "# SYNOPSIS\n\n**tapalab** *COMMAND* [*options*]\n\n**tapalab** **\\-\\-help** | **\\-\\-version**\n\n"
    page += (
        "# DESCRIPTION\n\ntapalab gives the mean, the envelope and the variance of an attention score under a positional\n"
        "encoding and a joint density of queries and keys, at any distance from 0 to 2\\^63 \\- 1, each with its error, and\n"
        "checks the statements of the paper \"Positional Encoding via Token\\-Aware Phase Attention\" one by one. **tapalab\n"
        "list** names encodings, densities, claims and engines.\n\n# COMMANDS\n"
    )
    for name, _, told in commands_of(program):
        page += f"\n## tapalab {man_text(name)}\n\n{man_text(told.description)}\n\n"
        for option, text in told.options:
            page += f"**{man_text(option)}**\n:   {man_text(text)}\n\n"
        page += "Example:\n\n" + "".join(f"    {line}\n" for line in told.example)
    page += "\n# EXIT STATUS\n\n"
    exits = re.search(r"Exit codes: (.*)\.\s*$", says(program, "--help"), re.S).group(1)
    for part in " ".join(exits.split()).split("; "):
        codes, text = re.match(r"((?:\d+)(?: and \d+)?) (.*)", part).groups()
        page += f"**{codes}**\n:   {man_text(text)}\n\n"
    page += (
        "# ENVIRONMENT\n\n**TAPALAB\\_SIMD**\n:   the widest vector code that may run: scalar, avx2 or avx512. It never changes a\n"
        "    result.\n\n"
        "**TAPALAB\\_DATA**\n:   the activations that verify uses unless told: a .safetensors file, or the folder of qk.safetensors.\n\n"
        "**TMPDIR**\n:   where figures are drawn before they appear under their name.\n\n"
        "Messages and results never hold colour, so that there is nothing for NO\\_COLOR to turn off.\n\n"
        "# FILES\n\n"
        "**share/tapalab/qk.safetensors**\n:   under the prefix of the program: activations for verify, where they are installed.\n\n"
        "**out/verify.json**, **out/report.html**\n:   what verify writes, unless \\-\\-out\\-dir names another folder.\n\n"
        "Files named by \\-\\-out, \\-\\-plot and \\-\\-out\\-dir appear whole or not at all.\n"
    )
    return page


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "reference":
        _, program, schemas, out = arguments
        Path(out).mkdir(parents=True, exist_ok=True)
        for name, text in (
            ("commands", commands_page(program)),
            ("specifications", specifications_page(program)),
            ("json", json_page(Path(schemas))),
        ):
            (Path(out) / f"{name}.md").write_text(text)
    elif len(arguments) == 2 and arguments[0] == "man":
        sys.stdout.write(man_page(arguments[1]))
    else:
        raise SystemExit(__doc__)


main(sys.argv[1:])

import { kinds, type Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { didYouMean } from "@cloudwright/platform/suggest";
import type { Command } from "commander";
import { addExamples, onlyHere, type Configure } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { cliFaults } from "../faults.ts";
import { loadCommand } from "../lazy-commands.ts";
import { hasVerb } from "../kinds/registry.ts";
import { verbs } from "../kinds/verbs.ts";
import { renderTable } from "../output/table.ts";

/** `cloud help [topic | command...]`: prints a help topic or the help of a command. */
export const configureHelp: Configure = (command, { world }) => {
  command.argument("[words...]", `a command, or one of ${Object.keys(topics).join(", ")}`);
  addExamples(command, "cloud help exit-codes", "cloud help cluster create");
  onlyHere(command, async (words, _flags, self) => {
    const topic = words.length === 1 ? topics[words[0] as string] : undefined;
    if (topic !== undefined) return world.stdout.write(`${topic().join("\n")}\n`);
    const found = await findCommand(self.parent as Command, words);
    found.outputHelp();
  });
};

async function findCommand(root: Command, words: readonly string[]): Promise<Command> {
  let at = root;
  for (const word of words) {
    const next = at.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (next === undefined) {
      const known = [...at.commands.map((command) => command.name()), ...(at === root ? Object.keys(topics) : [])];
      throw new Fault(cliFaults.usage, `there is no command or topic "${words.join(" ")}"${didYouMean(word, known)}`);
    }
    await loadCommand(next);
    at = next;
  }
  return at;
}

const topics: Readonly<Record<string, () => string[]>> = {
  "exit-codes": () => ["Exit codes:", "", ...exitCodes.map(({ code, meaning }) => `${String(code).padStart(5)}  ${meaning}`)],
  kinds: () =>
    renderTable(
      [
        { title: "KIND", value: ({ kind }: Kind) => kind },
        { title: "NAMES", value: ({ words, collection }) => [...words, collection].join(", ") },
        { title: "SCOPE", value: ({ scope }) => scope },
        {
          title: "VERBS",
          value: ({ kind }) =>
            verbs
              .filter(({ verb }) => hasVerb(kind, verb))
              .map(({ verb }) => verb)
              .join(" "),
        },
      ],
      kinds,
    ),
  output: () => [
    "Output formats (-o):",
    "",
    "  table              human-readable columns (default)",
    "  wide               more columns",
    "  json, yaml         complete entities, which `cloud apply` accepts",
    "  name               KIND/NAME, one per line; accepted wherever an entity is named",
    '  jsonpath=TEMPLATE  {.items[*].metadata.name}, {range .items[*]}{.metadata.name}{"\\n"}{end}',
    "",
    'With --watch, json prints one object per line: {"type":"ADDED","object":{...}}.',
  ],
  environment: () => [
    "Environment variables:",
    "",
    "  CLOUDWRIGHT_HOME      directory for config.yaml and the local server's files (default: ~/.cloudwright)",
    "  CLOUDWRIGHT_SERVER    server address, overrides the context",
    "  CLOUDWRIGHT_API_KEY   API key, overrides the context",
    "  CLOUDWRIGHT_PROJECT   project, overrides the context",
    "  VISUAL, EDITOR        editor for `cloud edit`",
    "  NO_COLOR              disables colours",
    "",
    "The CLI uses the first server it finds in: --server, --context, CLOUDWRIGHT_SERVER, the current context, the local server in CLOUDWRIGHT_HOME.",
  ],
};

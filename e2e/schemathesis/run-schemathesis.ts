import { processEnvironment, requireTool, type ToolProbe } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What schemathesis found. */
export interface SchemathesisReport {
  /** One line each, with the operations that it happened on. */
  readonly failures: readonly string[];
  readonly errors: readonly unknown[];
  /** How many operations were tried. */
  readonly tested: number;
}

interface JsonReport {
  readonly failures: readonly { readonly code: string; readonly title: string; readonly operations: readonly unknown[] }[];
  readonly errors: readonly unknown[];
  readonly operations: { readonly tested: number };
}

/** The tool, where CLOUDWRIGHT_SCHEMATHESIS says or on PATH. */
export function findSchemathesis(): ToolProbe {
  const path = processEnvironment["CLOUDWRIGHT_SCHEMATHESIS"];
  return path === undefined || path === "" ? requireTool("schemathesis") : { found: true, path };
}

// Users and keys that it deleted or rotated could be its own: these operations have their own suites. A watch never ends.
const left = ["deleteUser", "deleteApiKey", "rotateApiKey", "watchProject"];

/**
 * Checks that do not fit. A request may be as the schema says and still be refused, since references to entities and rules across
 * fields are beyond any schema. One that is not as the schema says may be taken: headers that mean nothing for a call are ignored, as
 * everywhere in HTTP, and proto3 JSON reads null as "not given".
 */
const unfit = ["positive_data_acceptance", "negative_data_rejection"];

interface RunOptions {
  readonly address: string;
  /** Where its files go. */
  readonly folder: string;
  readonly key: string;
  readonly cookie: string;
  /** For example `examples,fuzzing`. */
  readonly phases: string;
}

/** Runs it once against a server, with what it is told in files, since command lines are for everyone to see. */
export async function runSchemathesis(options: RunOptions): Promise<SchemathesisReport> {
  const { address, folder } = options;
  await writeFile(join(folder, "openapi.json"), JSON.stringify(await readStrictDescription(address)));
  await writeFile(join(folder, "schemathesis.toml"), configuration);
  const report = join(folder, "report.json");
  const args = [
    "run",
    "openapi.json",
    `--url=${address}`,
    "--workers=1",
    "--no-color",
    "--continue-on-failure",
    `--phases=${options.phases}`,
    "--max-examples=5",
    "--seed=1",
    "--generation-database=none",
    `--exclude-checks=${unfit.join(",")}`,
    "--request-timeout=20",
    ...left.map((operation) => `--exclude-operation-id=${operation}`),
    "--report=json",
    `--report-json-path=${report}`,
  ];
  const output = await runToEnd(args, folder, { FUZZ_KEY: options.key, FUZZ_COOKIE: options.cookie });
  const text = await readFile(report, "utf8").catch(() => undefined);
  if (text === undefined) throw new Error(`schemathesis made no report: ${output}`);
  const { failures, errors, operations } = JSON.parse(text) as JsonReport;
  return { failures: failures.map(describe), errors, tested: operations.tested };
}

const configuration = `headers = { Authorization = "Bearer \${FUZZ_KEY}" }

[parameters]
"query.watch" = "false"
"path.project" = "default"

[[operations]]
include-path = "/v1/session"
headers = { Cookie = "\${FUZZ_COOKIE}" }
`;

/** The description without the answers that are announced by \`default\`: only what is named counts as documented. */
async function readStrictDescription(address: string): Promise<unknown> {
  const response = await fetch(new URL("/openapi.json", address));
  const description = (await response.json()) as {
    paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
  };
  for (const path of Object.values(description.paths)) {
    for (const operation of Object.values(path)) delete operation.responses?.["default"];
  }
  return description;
}

function describe({ code, title, operations }: JsonReport["failures"][number]): string {
  return `${code} ${title}: ${JSON.stringify(operations)}`;
}

function runToEnd(args: readonly string[], cwd: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const tool = findSchemathesis();
  if (!tool.found) throw new Error(tool.reason);
  const env = { PATH: processEnvironment["PATH"], LANG: "C.UTF-8", ...environment };
  return new Promise((resolve) => {
    execFile(tool.path, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

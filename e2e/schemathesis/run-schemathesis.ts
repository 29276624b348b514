import { processEnvironment, requireTool, type ToolProbe } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Findings of a schemathesis run. */
export interface SchemathesisReport {
  /** One line per failure, with the affected API operations. */
  readonly failures: readonly string[];
  readonly errors: readonly unknown[];
  /** Number of tested API operations. */
  readonly tested: number;
}

interface JsonReport {
  readonly failures: readonly { readonly code: string; readonly title: string; readonly operations: readonly unknown[] }[];
  readonly errors: readonly unknown[];
  readonly operations: { readonly tested: number };
}

/** Finds schemathesis, either at the path in CLOUDWRIGHT_SCHEMATHESIS or on PATH. */
export function findSchemathesis(): ToolProbe {
  const path = processEnvironment["CLOUDWRIGHT_SCHEMATHESIS"];
  return path === undefined || path === "" ? requireTool("schemathesis") : { found: true, path };
}

// Operations to exclude. The first three could delete or rotate the user and key that schemathesis itself uses. A watch never ends.
const left = ["deleteUser", "deleteApiKey", "rotateApiKey", "watchProject"];

/**
 * Checks to disable. The server may reject a request that matches the schema, because a schema cannot express references or rules across
 * fields. The server may also accept a request that does not match: HTTP ignores irrelevant headers, and proto3 JSON treats null as absent.
 */
const unfit = ["positive_data_acceptance", "negative_data_rejection"];

interface RunOptions {
  readonly address: string;
  /** Folder for configuration and report files. */
  readonly folder: string;
  readonly key: string;
  readonly cookie: string;
  /** Phases to run, such as `examples,fuzzing`. */
  readonly phases: string;
}

/** Runs schemathesis once against a server. Passes secrets in files, because other users can read command lines. */
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
  if (text === undefined) throw new Error(`schemathesis wrote no report: ${output}`);
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

/** Returns the OpenAPI description without `default` responses, so that only explicitly documented responses are accepted. */
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

import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitUntil } from "../wait-until.ts";
import { openSimulatedAccount, type SimulatedAccount } from "./testing.ts";

const seed = chooseSeed();
let account: SimulatedAccount;
let folder: string;
let empty: readonly string[];
beforeEach(async () => {
  account = await openSimulatedAccount();
  folder = await mkdtemp(join(tmpdir(), "test-clouds-"));
  empty = await account.list();
});
afterEach(async () => {
  await account.close();
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  readonly text: () => string;
  readonly code: Promise<number | null>;
  signal(name: "SIGINT" | "SIGKILL"): void;
}

function start(args: readonly string[], environment: Readonly<Record<string, string>> = account.environment): Run {
  const child = spawn(process.execPath, [join(import.meta.dirname, "run.ts"), "--records", folder, ...args], {
    env: { HOME: folder, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = once(child, "close").then(([value]) => value as number | null);
  return { text: () => text, code, signal: (name) => void child.kill(name) };
}

test("M240 a run says what is missing, asks before it creates anything, and has a help text", async () => {
  const cases: [readonly string[], Readonly<Record<string, string>>, number, RegExp][] = [
    [["--help"], {}, 0, /--clean-up[^]*CLOUDWRIGHT_TEST_SUBNETS/],
    [[], {}, 2, /--cloud must be one of aws, gcp, azure/],
    [["--cloud", "oracle"], {}, 2, /--cloud must be one of/],
    [["--cloud", "aws"], { AWS_REGION: "us-east-1" }, 2, /set CLOUDWRIGHT_TEST_SUBNETS/],
    [["--cloud", "gcp"], {}, 2, /set GOOGLE_CLOUD_PROJECT, CLOUDSDK_COMPUTE_ZONE/],
    [["--cloud", "aws"], account.environment, 2, /estimated price: 0\.\d\d US dollars[^]*--yes is required/],
    [["--cloud", "aws", "--clean-up"], account.environment, 2, /--yes is required/],
  ];
  for (const [args, environment, code, text] of cases) {
    const run = start(args, environment);
    expect(await run.code).toBe(code);
    expect(run.text()).toMatch(text);
  }
  expect(await account.list()).toEqual(empty);
});

test(`M240 Ctrl-C deletes everything, and after kill -9 a clean-up does (seed ${seed})`, async () => {
  const random = createRandom(seed);
  for (const signal of random.shuffle(["SIGINT", "SIGKILL"] as const)) {
    const run = start(["--cloud", "aws", "--yes"]);
    const size = random.whole(1, 4);
    await waitUntil("the run has created resources", async () => (await account.list()).length >= empty.length + size);
    run.signal(signal);
    expect(await run.code).toBe(signal === "SIGINT" ? 1 : null);
    if (signal === "SIGKILL") await start(["--cloud", "aws", "--clean-up", "--yes"]).code;
    expect(await account.list()).toEqual(empty);
  }
});

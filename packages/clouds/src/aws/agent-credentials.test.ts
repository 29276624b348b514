import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findAgentCredentials } from "./agent-credentials.ts";

const nowMs = Date.now();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-credentials-"));
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ROLE_ARN"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", undefined);
  vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "credentials"));
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const find = async (): Promise<{ id: string; secret: string; token: string | undefined; expiresInMs: number }> => {
  const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = await findAgentCredentials(nowMs);
  const token = sessionToken?.reveal();
  return { id: accessKeyId, secret: secretAccessKey.reveal(), token, expiresInMs: expiresAtMs - nowMs };
};
const writeProfile = (id: string): void =>
  writeFileSync(join(folder, "credentials"), `[work]\naws_access_key_id = ${id}\naws_secret_access_key = s-${id}\n`);
/** Writes a credential process that prints the given output and exits with the given code. */
const writeProgram = (prints: string, code = 0): void => {
  const program = join(folder, "give");
  writeFileSync(program, `#!/bin/sh\nprintf '%s' '${prints}'\nprintf 'secret-on-stderr' >&2\nexit ${code}\n`);
  chmodSync(program, 0o700);
  writeFileSync(
    join(folder, "config"),
    `[profile work]\nregion = eu-west-1\ncredential_process = ${program} --key secret-in-args\n`,
  );
  vi.stubEnv("AWS_PROFILE", "work");
};

test("M020 M223 keys from the agent's environment are used, and read again after 15 minutes", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAENVIRONMENT");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "s");
  vi.stubEnv("AWS_SESSION_TOKEN", "t");
  expect(await find()).toEqual({ id: "AKIAENVIRONMENT", secret: "s", token: "t", expiresInMs: 15 * 60_000 });
});

test("M020 a profile on the agent's machine is used, and later changes to it take effect", async () => {
  writeProfile("AKIAFIRST");
  vi.stubEnv("AWS_PROFILE", "work");
  expect(await find()).toMatchObject({ id: "AKIAFIRST", secret: "s-AKIAFIRST", token: undefined });
  writeProfile("AKIASECOND");
  expect(await find()).toMatchObject({ id: "AKIASECOND" });
});

test("M020 a profile's credential process is used, and its credentials expire at the time it reports", async () => {
  const Expiration = new Date(nowMs + 600_000).toISOString();
  writeProgram(JSON.stringify({ Version: 1, AccessKeyId: "ASIAPROGRAM", SecretAccessKey: "s", SessionToken: "t", Expiration }));
  expect(await find()).toEqual({ id: "ASIAPROGRAM", secret: "s", token: "t", expiresInMs: 600_000 });
});

test("M020 the fault for missing credentials reveals no argument or output of a credential process", async () => {
  await expect(find()).rejects.toMatchObject({ code: "clouds.no_credentials" });
  for (const [prints, code] of [
    ["", 1],
    ["{}", 0],
  ] as const) {
    writeProgram(prints, code);
    const error: unknown = await find().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "clouds.no_credentials" });
    expect((error as Error).message).not.toContain("secret-");
  }
});

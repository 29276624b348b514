import { createFakeServer } from "@cloudwright/api-client/testing";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const folder = mkdtempSync(join(tmpdir(), "cw-private-"));
afterAll(() => rmSync(folder, { recursive: true }));

function createWorld(isTTY: boolean) {
  const server = createFakeServer();
  let calls = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.endsWith("/sshkeys/ops:private")) return server.fetch(input, init);
    calls += 1;
    return Response.json({ publicKey: "ssh-ed25519 AAAA", privateKey: "the private key\n" });
  };
  const world = createFakeWorld({ server: { ...server, fetch }, ...(isTTY ? { typed: [] } : {}) });
  return { ...world, calls: () => calls };
}

test("M007 a private key is written to a new file that only the user can read", async () => {
  const { run } = createWorld(true);
  const file = join(folder, "ops");
  expect(await run("sshkey", "private", "ops", "--output-file", file)).toMatchObject({
    code: 0,
    out: expect.not.stringContaining("the private key\n") as string,
  });
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["the private key\n", 0o600]);
  expect((await run("sshkey", "private", "ops", "--output-file", file)).code).toBe(2);
});

test("M007 a private key is printed on a terminal only on request", async () => {
  const { run, calls } = createWorld(true);
  const { code, out, err } = await run("sshkey", "private", "ops");
  expect([code, out, calls()]).toEqual([2, "", 0]);
  expect(err).toContain("cli.secret_on_terminal");
  expect((await run("sshkey", "private", "ops", "--show")).out).toBe("the private key\n");
  expect((await createWorld(false).run("private", "ops")).out).toBe("the private key\n");
});

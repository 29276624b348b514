import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeAdminKey, writeAdminKey } from "./admin-key.ts";

const [key, link] = ["cw_secret", "http://127.0.0.1/sign-in#token=abc"];

test("M006 the admin key and the sign-in link are printed on a terminal only", () => {
  const shown = describeAdminKey("/srv/x", key, link, true).join("\n");
  expect(shown).toContain(key);
  expect(shown).toContain(link);
  const logged = describeAdminKey("/srv/x", key, link, false).join("\n");
  expect(logged).toContain("/srv/x/admin.key");
  expect(logged).not.toMatch(/cw_|#token=/);
});

test("M006 the admin key is written to a file that only its owner can read", () => {
  const home = mkdtempSync(join(tmpdir(), "home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeAdminKey(home, key);
  expect([readFileSync(join(home, "admin.key"), "utf8"), statSync(join(home, "admin.key")).mode & 0o777]).toEqual([
    `${key}\n`,
    0o600,
  ]);
});

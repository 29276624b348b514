import { expect, test } from "vitest";
import { selectBootLines } from "./select-boot-lines.ts";

test("X015 the timeline gets the last lines of a boot log, without colours and empty lines", () => {
  const text = Array.from({ length: 100 }, (_, index) => `[\u001b[0;32m  OK  \u001b[0m] step ${index}\r\n\r\n`).join("");
  const lines = selectBootLines(`${text}${"x".repeat(1000)}`, []);
  expect([lines.length, lines.at(-1)?.length, lines.at(-2)]).toEqual([40, 200, "[  OK  ] step 99"]);
  expect(selectBootLines("", [])).toEqual([]);
});

test("X015 M020 lines of secrets and private keys in a boot log are masked", () => {
  const userData = "#!/bin/sh\nset -x\nexport PASSWORD=canary\n";
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----";
  expect(selectBootLines(`start\n+ export PASSWORD=canary\n${key}\nlogin:`, [userData])).toEqual([
    "start",
    "[secret]",
    "[secret]",
    "[secret]",
    "[secret]",
    "login:",
  ]);
});

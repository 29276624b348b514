import { existsSync, readFileSync } from "node:fs";
import { createFakeServer } from "@cloudwright/api-client/testing";
import { expect, test } from "vitest";
import { configPath } from "../connection/config-file.ts";
import { createFakeWorld } from "../testing/fake-world.ts";

const nowhere = { CLOUDWRIGHT_SERVER: "", CLOUDWRIGHT_API_KEY: "" };

test("M006 login verifies and stores a key with its server, and logout removes it", async () => {
  const server = createFakeServer();
  const { run, home } = createFakeWorld({ server, stdin: `${server.key}\n`, environment: nowhere });
  expect((await run("get", "clusters")).err).toContain("cli.no_server");
  const login = await run("login", "--server", "http://server", "--key-stdin", "--name", "lab", "-p", "shop");
  expect(login).toMatchObject({ code: 0, out: "logged in to http://server as admin; context lab\n" });
  expect(readFileSync(configPath(home), "utf8")).toContain(server.key);
  expect((await run("get", "clusters")).code).toBe(0);
  expect(server.requests.at(-1)?.path).toBe("/v1/projects/shop/clusters");
  expect((await run("logout")).code).toBe(0);
  expect(readFileSync(configPath(home), "utf8")).not.toContain(server.key);
  expect((await run("get", "clusters")).code).toBe(5);
});

test("M006 login prompts for the key on a terminal and never shows it", async () => {
  const server = createFakeServer();
  const { run } = createFakeWorld({ server, typed: [server.key], environment: nowhere });
  const { code, out, err } = await run("login", "--server", "http://server");
  expect(code).toBe(0);
  expect(out + err).not.toContain(server.key);
});

test("M006 a key that the server rejects is not stored", async () => {
  const { run, home } = createFakeWorld({ stdin: "wrong\n", environment: nowhere });
  expect((await run("login", "--server", "http://server", "--key-stdin")).code).toBe(5);
  expect(existsSync(configPath(home))).toBe(false);
});

test("M006 without a terminal the key must come on standard input", async () => {
  const { run } = createFakeWorld({ environment: nowhere });
  expect((await run("login", "--server", "http://server")).err).toContain("cli.no_terminal");
  expect((await run("login", "--server", "http://server", "--key", "cw_x")).code).toBe(2);
});

test("M003 contexts are listed, selected, shown and deleted", async () => {
  const server = createFakeServer();
  const { run } = createFakeWorld({ server, stdin: server.key, environment: nowhere });
  await run("login", "--server", "http://one", "--key-stdin", "--name", "one");
  await run("login", "--server", "http://two", "--key-stdin", "--name", "two");
  expect((await run("context", "list")).out).toMatch(/ +one +http:\/\/one[^]*\* +two/);
  expect((await run("context", "use", "one")).code).toBe(0);
  expect((await run("context", "show")).out).toContain("http://one");
  expect((await run("--context", "two", "context", "show")).out).toContain("http://two");
  expect((await run("context", "delete", "one")).code).toBe(0);
  expect((await run("context", "list", "-o", "name")).out).toBe("two\n");
  expect((await run("context", "use", "one")).code).toBe(3);
});

test("M003 config shows no key, and a key is removed when the server changes", async () => {
  const server = createFakeServer();
  const { run, home } = createFakeWorld({ server, stdin: server.key, environment: nowhere });
  await run("login", "--server", "http://one", "--key-stdin", "--name", "one");
  expect((await run("config", "path")).out).toBe(`${configPath(home)}\n`);
  const view = (await run("config", "view")).out;
  expect(view).toContain("[secret]");
  expect(view).not.toContain(server.key);
  await run("config", "set", "project", "shop");
  expect((await run("config", "get", "project")).out).toBe("shop\n");
  expect(readFileSync(configPath(home), "utf8")).toContain(server.key);
  await run("config", "set", "server", "http://elsewhere");
  expect(readFileSync(configPath(home), "utf8")).not.toContain(server.key);
  expect((await run("config", "set", "apiKey", "x")).code).toBe(2);
});

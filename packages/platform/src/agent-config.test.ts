import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pickAgentEnvironment, readAgentConfig } from "./agent-config.ts";

test("M052 an agent's settings have defaults, and its directory is in the home directory", () => {
  const config = readAgentConfig({ CLOUDWRIGHT_HOME: "/h" });
  expect(config).toMatchObject({
    server: "http://127.0.0.1:8480",
    directory: "/h/agent",
    labels: { cloud: "*", account: "*", region: "*" },
    slots: { long: 4, short: 8 },
    deployers: [],
    simulator: "server",
    demo: { enabled: false, journal: undefined },
  });
  expect(config.name).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/);
  expect(config.joinToken()).toBeUndefined();
});

test("M206 an agent is a host only if it has a label for its machine", () => {
  expect(readAgentConfig({}).hosts).toBeUndefined();
  expect(readAgentConfig({ CLOUDWRIGHT_AGENT_HOSTS: "rack-1" }).hosts).toEqual({
    label: "rack-1",
    images: {},
    imageFolders: [],
    isShared: false,
  });
  const more = {
    CLOUDWRIGHT_AGENT_HOST_IMAGES: "debian-12=/srv/debian.tar, mine=/srv/mine",
    CLOUDWRIGHT_AGENT_HOST_IMAGE_FOLDERS: "/srv/images,/srv/more",
    CLOUDWRIGHT_AGENT_HOST_SHARED: "1",
  };
  expect(readAgentConfig({ CLOUDWRIGHT_AGENT_HOSTS: "rack-1", ...more }).hosts).toMatchObject({
    images: { "debian-12": "/srv/debian.tar", mine: "/srv/mine" },
    imageFolders: ["/srv/images", "/srv/more"],
    isShared: true,
  });
  for (const wrong of [
    { CLOUDWRIGHT_AGENT_HOSTS: "a b" },
    { CLOUDWRIGHT_AGENT_HOST_IMAGES: "mine=relative" },
    { CLOUDWRIGHT_AGENT_HOST_IMAGE_FOLDERS: "images" },
  ])
    expect(() => readAgentConfig({ CLOUDWRIGHT_AGENT_HOSTS: "rack-1", ...wrong })).toThrow(
      expect.objectContaining({
        code: "platform.bad_configuration",
        message: expect.stringContaining(Object.keys(wrong)[0] ?? "") as string,
      }),
    );
});

test("M052 labels, slots and deployers are parsed", () => {
  const environment = {
    CLOUDWRIGHT_AGENT_LABELS: "cloud=aws,gcp; region=*",
    CLOUDWRIGHT_AGENT_SLOTS: "short=0,long=12",
    CLOUDWRIGHT_AGENT_SIMULATOR: "files",
    CLOUDWRIGHT_DEPLOYERS: "network=http://a:1 network.apply=http://b:2/",
    CLOUDWRIGHT_PROVIDER_MIRROR: "https://mirror.example/",
    AWS_ENDPOINT_URL: "http://127.0.0.1:5000/",
    AWS_ENDPOINT_URL_STS: "http://127.0.0.1:5001",
    AWS_ENDPOINT_URLS: "not one",
    AWS_WEB_IDENTITY_TOKEN_FILE: "/token",
  };
  const foreign = {
    endpoints: [/^AWS_ENDPOINT_URL(_[A-Z0-9_]+)?$/],
    identityTokens: ["AWS_WEB_IDENTITY_TOKEN_FILE", "ANOTHER"],
    backendSecrets: [],
  };
  const config = readAgentConfig(environment, foreign);
  expect(config.clouds).toEqual({
    endpoints: { AWS_ENDPOINT_URL: "http://127.0.0.1:5000", AWS_ENDPOINT_URL_STS: "http://127.0.0.1:5001" },
    identityTokenFiles: { AWS_WEB_IDENTITY_TOKEN_FILE: "/token" },
    providerMirror: "https://mirror.example/",
  });
  expect(config.labels).toEqual({ cloud: "aws,gcp", region: "*" });
  expect(config.slots).toEqual({ long: 12, short: 0 });
  expect(config.simulator).toBe("files");
  expect(config.deployers).toEqual([
    { prefix: "network.apply", url: "http://b:2" },
    { prefix: "network", url: "http://a:1" },
  ]);
});

test("X063 a run has a memory limit unless the operator turns it off", () => {
  const read = (text: string): unknown => readAgentConfig({ CLOUDWRIGHT_AGENT_RUN_MEMORY: text }).runMemoryBytes;
  expect([read(""), read("512MiB"), read("2GiB"), read("off")]).toEqual([
    4 * 1024 ** 3,
    512 * 1024 ** 2,
    2 * 1024 ** 3,
    undefined,
  ]);
});

test("M005 a token comes from a file or the environment, and is not passed to child processes", () => {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "token"), "from-file\n");
  const environment = { PATH: "/bin", CLOUDWRIGHT_JOIN_TOKEN: "from-environment", CLOUDWRIGHT_DEPLOYER_TOKEN: "shared" };
  expect(readAgentConfig(environment).joinToken()?.reveal()).toBe("from-environment");
  const config = readAgentConfig({ ...environment, CLOUDWRIGHT_JOIN_TOKEN_FILE: join(folder, "token") });
  expect(config.joinToken()?.reveal()).toBe("from-file");
  expect(config.childEnvironment).toEqual({ PATH: "/bin" });
  expect(JSON.stringify(config)).not.toMatch(/from-|shared/);
});

test.each([
  ["CLOUDWRIGHT_SERVER", "localhost"],
  ["CLOUDWRIGHT_SERVER", "http://user:canary@host"],
  ["CLOUDWRIGHT_AGENT_NAME", "Agent A"],
  ["CLOUDWRIGHT_AGENT_LABELS", "cloud"],
  ["CLOUDWRIGHT_AGENT_SLOTS", "long=many"],
  ["CLOUDWRIGHT_AGENT_RUN_MEMORY", "64MiB"],
  ["CLOUDWRIGHT_AGENT_RUN_MEMORY", "4 gigabytes"],
  ["CLOUDWRIGHT_AGENT_STOP_SECONDS", "-1"],
  ["CLOUDWRIGHT_AGENT_CANCEL_SECONDS", "soon"],
  ["CLOUDWRIGHT_AGENT_SIMULATOR", "cloud"],
  ["CLOUDWRIGHT_DEPLOYERS", "network"],
  ["CLOUDWRIGHT_DEPLOYER_LISTEN", "8481"],
  ["CLOUDWRIGHT_DEMO_HANDLERS", "perhaps"],
  ["CLOUDWRIGHT_LOG_LEVEL", "loud"],
])("M052 %s=%s is rejected, and the fault names the variable", (name, value) => {
  const read = () => readAgentConfig({ [name]: value });
  expect(read).toThrow(expect.objectContaining({ code: "platform.bad_configuration", message: expect.stringContaining(name) }));
  expect(read).not.toThrow(/canary/);
});

test("X062 an agent that the server starts gets its own settings and nothing else from the server's environment", () => {
  const environment = {
    PATH: "/bin",
    HTTPS_PROXY: "http://proxy:3128",
    CLOUDWRIGHT_HOME: "/h",
    CLOUDWRIGHT_AGENT_LABELS: "cloud=*",
    DATABASE_URL: "postgresql://secret@db/x",
    CLOUDWRIGHT_ENCRYPTION_KEYS: "secret",
    CLOUDWRIGHT_API_KEY: "secret",
    PGPASSWORD: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_PROFILE: "operator",
    GITHUB_TOKEN: "secret",
  };
  const own = {
    PATH: "/bin",
    HTTPS_PROXY: "http://proxy:3128",
    CLOUDWRIGHT_HOME: "/h",
    CLOUDWRIGHT_AGENT_LABELS: "cloud=*",
  };
  expect(pickAgentEnvironment(environment)).toEqual(own);
  const listed = { ...environment, CLOUDWRIGHT_AGENT_ENVIRONMENT: "AWS_PROFILE, NOT_SET" };
  expect(pickAgentEnvironment(listed)).toEqual({
    ...own,
    AWS_PROFILE: "operator",
    CLOUDWRIGHT_AGENT_ENVIRONMENT: "AWS_PROFILE, NOT_SET",
  });
});

test.each(["DATABASE_URL", "CLOUDWRIGHT_ENCRYPTION_KEYS", "CLOUDWRIGHT_API_KEY", "A=b", "*"])(
  "X062 the server refuses to pass %s to its agent",
  (name) => {
    const environment = { CLOUDWRIGHT_AGENT_ENVIRONMENT: `AWS_PROFILE,${name}` };
    expect(() => pickAgentEnvironment(environment)).toThrow(expect.objectContaining({ code: "platform.bad_configuration" }));
  },
);

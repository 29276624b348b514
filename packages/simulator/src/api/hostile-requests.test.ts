import { ListClustersCommand } from "@aws-sdk/client-eks";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { openAws, type AwsUnderTest, type ClientKeys } from "../aws/api/testing/open-aws.ts";
import { signRequest, type RawRequest } from "../aws/api/testing/sign-request.ts";
import { limitConnections } from "../http/limit-connections.ts";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { defaultLimits, type ApiLimits } from "./api-limits.ts";

let aws: AwsUnderTest;
const sockets: Socket[] = [];

async function open(limits: Partial<ApiLimits> = {}): Promise<ClientKeys> {
  aws = await openAws({ limits });
  return aws.keysOf("a");
}

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const socket of sockets.splice(0)) socket.destroy();
  await aws.close();
});

function dial(bytes: string | Buffer): Socket {
  const socket = connect(aws.host.port, "127.0.0.1", () => socket.write(bytes));
  socket.on("error", () => undefined);
  sockets.push(socket);
  return socket;
}

const form = { "content-type": "application/x-www-form-urlencoded" };

/** Renders a signed request whose body is announced but not sent. */
function renderHead(request: RawRequest, keys: ClientKeys, bodyBytes: number): string {
  const headers = { host: new URL(aws.host.address).host, ...signRequest(request, aws.host.address, keys) };
  const lines = Object.entries({ ...headers, "content-length": bodyBytes }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${request.path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function readStatus(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once("data", (chunk: Buffer) => resolve(Number(chunk.toString("latin1").split(" ")[1])));
    socket.once("close", () => reject(new Error("the server closed the connection without a reply")));
  });
}

async function post(request: Partial<RawRequest> & { readonly body: string }, keys: ClientKeys): Promise<Response> {
  const whole = { method: "POST", path: "/", service: "iam", headers: form, ...request };
  const headers = signRequest(whole, aws.host.address, keys);
  return fetch(`${aws.host.address}${whole.path}`, { method: whole.method, headers, body: whole.body });
}

test("X063 a request with an unknown key, or with a wrong signature over a stated hash, is refused before its body arrives", async () => {
  const keys = await open();
  const request = { method: "POST", path: "/clusters", service: "eks" };
  const strange = { ...keys, accessKeyId: "AKIAIOSFODNN7EXAMPLE" };
  expect(await readStatus(dial(renderHead(request, strange, 900_000)))).toBe(403);
  const stated = { ...request, headers: { "x-amz-content-sha256": "0".repeat(64) } };
  expect(await readStatus(dial(renderHead(stated, { ...keys, secretAccessKey: "wrong" }, 900_000)))).toBe(403);
});

test("X063 a body without a credential has a small limit, which applies before the body arrives", async () => {
  const keys = await open();
  const { strangerBytes } = defaultLimits;
  const head = (bytes: number) =>
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${form["content-type"]}\r\ncontent-length: ${bytes}\r\n`;
  for (const more of ["", "x-amz-date: 20260101T000000Z\r\n"])
    expect(await readStatus(dial(`${head(strangerBytes + 1)}${more}\r\n`))).toBe(413);
  const chunked = dial(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n8000\r\n${"x".repeat(0x8000)}\r\n`);
  expect(await readStatus(chunked)).toBe(413);
  const body = `Action=GetUser&Version=2010-05-08${Array.from({ length: 10 }, (_, at) => `&p${at}=${"x".repeat(4000)}`).join("")}`;
  expect(body.length).toBeGreaterThan(strangerBytes);
  expect((await post({ body }, keys)).status).toBe(200);
});

test.each([
  ["Google Cloud", "/token"],
  ["Azure", "/00000000-0000-0000-0000-000000000000/oauth2/v2.0/token"],
])("X063 a made-up credential does not let a stranger send a large form to the token endpoint of %s", async (_cloud, path) => {
  await open();
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${form["content-type"]}\r\n`;
  const bytes = defaultLimits.strangerBytes + 1;
  for (const credential of ["Bearer x", "Basic eDp5"])
    expect(await readStatus(dial(`${head}authorization: ${credential}\r\ncontent-length: ${bytes}\r\n\r\n`))).toBe(413);
});

test("X063 a form is parsed once, and only after its signature was verified", async () => {
  const keys = await open();
  let parsed = 0;
  const Original = URLSearchParams;
  vi.stubGlobal(
    "URLSearchParams",
    class extends Original {
      constructor(init?: ConstructorParameters<typeof Original>[0]) {
        super(init);
        if (typeof init === "string" && init.includes("Action=")) parsed++;
      }
    },
  );
  const body = "Action=GetUser&Version=2010-05-08";
  expect((await post({ body }, { ...keys, secretAccessKey: "wrong" })).status).toBe(403);
  expect(parsed).toBe(0);
  expect((await post({ body }, keys)).status).toBe(200);
  expect(parsed).toBe(1);
});

test("X063 a form with more parameters than a client needs is refused", async () => {
  const keys = await open();
  const body = (pairs: number) =>
    `Action=GetUser&Version=2010-05-08${Array.from({ length: pairs - 2 }, (_, at) => `&p${at % 100}.${at}=`).join("")}`;
  expect((await post({ body: body(5000) }, keys)).status).toBe(200);
  const refused = await post({ body: body(5001) }, keys);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("MalformedQueryString");
});

test("X063 an address can send a limited number of requests without a valid credential, and accepted clients are not affected", async () => {
  const keys = await open({ strangers: { perSecond: 0.001, burst: 3 } });
  const list = new ListClustersCommand({});
  const { eks } = aws.connect(keys);
  for (let round = 0; round < 5; round++) {
    expect((await eks.send(list)).clusters).toEqual([]);
    expect((await post({ body: "Action=Unknown&Version=2010-05-08" }, keys)).status).toBe(400);
  }
  const body = "Action=GetUser&Version=2010-05-08";
  const attempts = Array.from({ length: 5 }, () => post({ body }, { ...keys, accessKeyId: "AKIAIOSFODNN7EXAMPLE" }));
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([403, 403, 403, 429, 429]);
  expect((await eks.send(list)).clusters).toEqual([]);
});

test("X063 the connection of an incomplete request is closed", async () => {
  await open({ requestMs: 200 });
  const half = [
    "P",
    "POST / HTTP/1.1\r\nHost: x\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nx-amz-date: 20260101T000000Z\r\ncontent-length: 10\r\n\r\nhalf",
    Buffer.from([0x16]),
    Buffer.from([0x16, 3, 1, 1, 0]),
    "",
  ];
  const closed = half.map((bytes) => new Promise((resolve) => dial(bytes).on("close", resolve).resume()));
  expect(await Promise.all(closed)).toHaveLength(half.length);
});

test("X063 connections beyond the limit are closed, and closing one makes room for another", async () => {
  await open({ connections: 2 });
  const opened = [dial(""), dial("")];
  await Promise.all(opened.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  await new Promise((resolve) => dial("").on("close", resolve).resume());
  opened[0]?.destroy();
  await expect
    .poll(async () =>
      fetch(aws.host.address).then(
        (reply) => reply.status,
        () => 0,
      ),
    )
    .toBe(404);
});

test("X071 one address cannot use up the connections of the simulated APIs and clusters", async () => {
  await open();
  const server = { maxConnections: 0 };
  const admit = limitConnections(server, { connections: 9, connectionsPerAddress: 2 });
  expect(server.maxConnections).toBe(9);
  const destroyed: string[] = [];
  const ends: (() => void)[] = [];
  const attempt = (remoteAddress: string): boolean => {
    const socket = {
      remoteAddress,
      destroy: () => void destroyed.push(remoteAddress),
      once: (_: string, end: () => void) => ends.push(end),
    };
    return admit(socket as unknown as Socket);
  };
  expect(["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"].map(attempt)).toEqual([true, true, false, true]);
  expect(destroyed).toEqual(["192.0.2.1"]);
  ends[0]?.();
  expect(attempt("192.0.2.1")).toBe(true);
});

test("X063 a request is in progress until the client has read the reply", async () => {
  const keys = await open({ requests: 1 });
  const attributes = { name: "large", assume_role_policy: "x".repeat(24 * 1024 * 1024) };
  await aws.inventory.put("a", { type: "aws_iam_role", id: "large", attributes });
  const body = "Action=GetRole&Version=2010-05-08&RoleName=large";
  const request = { method: "POST", path: "/", service: "iam", headers: form, body };
  const socket = dial(`${renderHead(request, keys, body.length)}${body}`);
  await readStatus(socket);
  socket.pause();
  const list = new ListClustersCommand({});
  const { eks } = aws.connect(keys);
  const nameOf = (): Promise<string> =>
    eks.send(list).then(
      () => "",
      (error: Error) => error.name,
    );
  for (let round = 0; round < 5; round++) expect(await nameOf()).toBe("ThrottlingException");
  socket.destroy();
  await expect.poll(nameOf).toBe("");
});

test("X063 the tenants of one holder share its turns, so that creating tenants does not delay others", async () => {
  const inventory = createMemoryInventory();
  const running: string[] = [];
  const gate = Promise.withResolvers<void>();
  aws = await openAws({
    limits: { turns: { running: 2, perTenant: 1 } },
    findHolder: async (tenant) => tenant.slice(0, 1),
    inventory: {
      ...inventory,
      async list(tenant, type) {
        if (type === "aws_eks_cluster" && tenant.startsWith("b")) {
          running.push(tenant);
          await gate.promise;
        }
        return inventory.list(tenant, type);
      },
    },
  });
  const list = async (tenant: string): Promise<unknown> => {
    const { eks } = aws.connect(await aws.keysOf(tenant));
    return (await eks.send(new ListClustersCommand({}))).clusters;
  };
  const hostile = Promise.all(["b1", "b2", "b3", "b4"].map(list));
  await expect.poll(() => running.length).toBe(1);
  expect(await list("a1")).toEqual([]);
  expect(running).toHaveLength(1);
  gate.resolve();
  expect(await hostile).toEqual([[], [], [], []]);
});

test("X063 the tenants of one holder share its limit of requests in progress", async () => {
  aws = await openAws({ limits: { requestsPerHolder: 1 }, findHolder: async (tenant) => tenant.slice(0, 1) });
  const attributes = { name: "large", assume_role_policy: "x".repeat(24 * 1024 * 1024) };
  await aws.inventory.put("b1", { type: "aws_iam_role", id: "large", attributes });
  const body = "Action=GetRole&Version=2010-05-08&RoleName=large";
  const request = { method: "POST", path: "/", service: "iam", headers: form, body };
  const socket = dial(`${renderHead(request, await aws.keysOf("b1"), body.length)}${body}`);
  await readStatus(socket);
  socket.pause();
  const list = async (tenant: string): Promise<unknown> => {
    const { eks } = aws.connect(await aws.keysOf(tenant));
    return (await eks.send(new ListClustersCommand({}))).clusters;
  };
  await expect(list("b2")).rejects.toThrow(expect.objectContaining({ name: "ThrottlingException" }) as Error);
  expect(await list("a1")).toEqual([]);
});

test("X063 the bodies that one sender has in transit are limited, and other senders are not affected", async () => {
  const keys = await open({ bodies: { perHolder: 20_000, total: 40_000 } });
  const { eks } = aws.connect(keys);
  expect((await eks.send(new ListClustersCommand({}))).clusters).toEqual([]);
  // These bodies never arrive completely. Their senders have no valid credential, so they share the limit of their source address.
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${form["content-type"]}\r\ncontent-length: 15000\r\n\r\n`;
  const held = dial(`${head}${"x".repeat(14_000)}`);
  const refused = dial(`${head}${"x".repeat(14_000)}`);
  expect(await Promise.race([readStatus(refused), readStatus(held)])).toBe(429);
  expect((await eks.send(new ListClustersCommand({}))).clusters).toEqual([]);
});

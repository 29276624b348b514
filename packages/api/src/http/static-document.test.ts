import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { createStaticDocument } from "./static-document.ts";

async function requestWith(encodings: string): Promise<string> {
  const server = fastify();
  onTestFinished(() => server.close());
  server.get("/", createStaticDocument({ admit: () => undefined }, "text", "text/plain"));
  const { headers } = await server.inject({ method: "GET", url: "/", headers: { "accept-encoding": encodings } });
  return headers["content-encoding"] ?? "none";
}

test.each([
  ["gzip", "gzip"],
  [" br , GZIP ; q=0.5", "gzip"],
  ["*", "gzip"],
  ["gzip;q=0, *", "none"],
  ["*;q=0", "none"],
  ["gzip;level=9", "none"],
  ["br", "none"],
])("M001 a client that sends %o gets the encoding %s", async (encodings, expected) => {
  expect(await requestWith(encodings)).toBe(expected);
});

test("X063 a stranger cannot block the server with a header full of white space", async () => {
  expect(await requestWith(`gzip${" ".repeat(1_000_000)}x`)).toBe("none");
});

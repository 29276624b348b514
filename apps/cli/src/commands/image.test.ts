import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const images = [
  { name: "debian-12", source: "debian-12@abc", sizeMib: 300, createdAt: "2026-01-01T00:00:00Z", users: 2 },
  { name: "web", source: "rootfs", sizeMib: 12, createdAt: "2026-01-02T00:00:00Z", users: 0 },
];
const operation = { metadata: { name: "op-images" }, spec: { verb: "images" }, status: { state: "DONE", images } };

function createWorld() {
  const world = createFakeWorld();
  world.server.put("/v1/projects/default/operations/op-images", operation as never);
  const answer = () => new Response(JSON.stringify(operation), { status: 200, headers: { "content-type": "application/json" } });
  world.server.answerOnce("POST", /\/accounts\/rack:images$/, answer);
  const sent = () => world.server.requests.filter(({ path }) => path.endsWith("rack:images")).map(({ body }) => body);
  return { ...world, sent };
}

test("M206 the images of a machine are listed with the number of their instances", async () => {
  const { run, sent } = createWorld();
  const { out, code } = await run("image", "list", "--account", "rack");
  expect([code, sent()]).toEqual([0, [{ action: "list" }]]);
  expect(out).toMatch(/debian-12 +300 MiB +2/);
});

test("M206 an image is imported, built and deleted", async () => {
  const sha256 = "A".repeat(64);
  const path = "/srv/images/web.tar";
  for (const [words, body] of [
    [
      ["import", "web", "--path", path, "--sha256", sha256],
      { action: "import", image: "web", path, format: "rootfs", sha256: sha256.toLowerCase() },
    ],
    [["import", "web", "--path", path, "--oci"], { action: "import", image: "web", path, format: "oci", sha256: "" }],
    [["build", "debian-12"], { action: "build", image: "debian-12" }],
    [["delete", "web"], { action: "remove", image: "web" }],
  ] as const) {
    const { run, sent } = createWorld();
    expect([(await run("image", ...words, "--account", "rack")).code, sent()]).toEqual([0, [body]]);
  }
});

test("M206 an account is required", async () => {
  const { run, server } = createFakeWorld();
  expect((await run("image", "list")).code).toBe(2);
  expect(server.requests).toEqual([]);
});

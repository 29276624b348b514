import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createTestKey } from "../testing/test-key.ts";
import { createRelease, printProgram, serveRelease, writeRelease, zip, type ReleaseFiles } from "../testing/test-release.ts";
import { createTestDirectory, findTestBinary, testSpawn } from "../testing/test-terraform.ts";
import { createBinaries, type BinariesOptions } from "./create-binaries.ts";
import { releases } from "./releases.ts";

const key = createTestKey({ subkey: "answering" });
const { fingerprint } = key;

function create(options: Partial<BinariesOptions> = {}) {
  const cacheDirectory = options.cacheDirectory ?? join(createTestDirectory(), "cache");
  const binaries = createBinaries({ spawn: testSpawn }, { path: "", platform: "test_cpu", ...options, cacheDirectory });
  return { ...binaries, cacheDirectory };
}

function install(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

test("M068 a program on PATH is used only if its version is in the range", async () => {
  const folder = createTestDirectory();
  install(join(folder, "terraform"), printProgram("1.9.8"));
  const binaries = create({ path: folder });
  expect(await binaries.get("terraform", "~> 1.9")).toEqual({
    product: "terraform",
    version: "1.9.8",
    path: join(folder, "terraform"),
  });
  await expect(binaries.get("terraform", "1.11.4")).rejects.toMatchObject({
    code: "terraform.no_binary",
    message: expect.stringMatching(
      /Terraform 1\.11\.4 .*terraform has version 1\.9\.8; .*contains no cached version; downloads are disabled/,
    ),
  });
  await expect(binaries.get("opentofu", "~> 1.8")).rejects.toMatchObject({ code: "terraform.no_binary" });
  install(join(folder, "tofu"), "#!/bin/sh\necho nonsense\n");
  await expect(binaries.get("opentofu", "~> 1.8")).rejects.toMatchObject({ code: "terraform.no_binary" });
});

test("M068 the cache can contain several versions, and the newest one in the range is used", async () => {
  const { cacheDirectory, get } = create();
  for (const version of ["1.9.8", "1.11.4", "1.10.0"]) {
    install(join(cacheDirectory, "terraform", version, "test_cpu/terraform"), printProgram(version));
  }
  expect((await get("terraform", "~> 1.9")).version).toBe("1.11.4");
  expect((await get("terraform", "~> 1.9.0")).version).toBe("1.9.8");
  expect((await get("terraform", "1.10.0")).path).toBe(join(cacheDirectory, "terraform/1.10.0/test_cpu/terraform"));
  install(join(cacheDirectory, "terraform/1.10.0/test_cpu/terraform"), printProgram("6.6.6"));
  await expect(create({ cacheDirectory }).get("terraform", "1.10.0")).rejects.toMatchObject({ code: "terraform.no_binary" });
});

test.each(["terraform", "opentofu"] as const)(
  "M068 a missing %s is downloaded, verified, and found in the cache afterwards",
  async (product) => {
    const { address, asked } = await serveRelease(createRelease(key, product, "1.10.3"));
    const { cacheDirectory, get } = create({ download: { mirror: address, fingerprint } });
    const binary = await get(product, "1.10.3");
    const program = releases[product].program;
    expect(binary).toEqual({ product, version: "1.10.3", path: join(cacheDirectory, product, "1.10.3/test_cpu", program) });
    expect(statSync(binary.path).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(binary.path))).toEqual([program]);
    const count = asked.length;
    expect(await create({ cacheDirectory, download: { mirror: address, fingerprint } }).get(product, "~> 1.10")).toEqual(binary);
    expect(asked).toHaveLength(count);
  },
);

test("M068 concurrent requests for the same version cause one download", async () => {
  const { address, asked } = await serveRelease(createRelease(key, "terraform", "1.10.3"));
  const cacheDirectory = join(createTestDirectory(), "cache");
  const options = { cacheDirectory, download: { mirror: address, fingerprint } };
  const paths = await Promise.all(Array.from({ length: 8 }, () => create(options).get("terraform", "1.10.3")));
  expect(new Set(paths.map(({ path }) => path)).size).toBe(1);
  expect(asked.filter((path) => path.endsWith(".zip"))).toHaveLength(1);
});

test("M068 a local directory can be the mirror, even for version ranges", async () => {
  const mirror = createTestDirectory();
  for (const version of ["1.9.9", "1.11.0", "1.12.0-rc1"]) writeRelease(mirror, createRelease(key, "terraform", version));
  writeRelease(mirror, createRelease(key, "opentofu", "1.8.1"));
  const { get } = create({ download: { mirror, fingerprint } });
  expect((await get("terraform", ">= 1.9")).version).toBe("1.11.0");
  expect((await get("opentofu", "~> 1.8")).version).toBe("1.8.1");
  await expect(get("terraform", "~> 3.0")).rejects.toMatchObject({ code: "terraform.no_binary" });
  await expect(get("terraform", "1.9.1")).rejects.toMatchObject({ code: "terraform.download_failed" });
  await expect(get("terraform", "latest")).rejects.toMatchObject({ code: "terraform.bad_version" });
});

test("M068 a range is resolved with the vendor's list of versions", async () => {
  const files = createRelease(key, "terraform", "1.10.3");
  files.set("terraform/index.json", Buffer.from('{"versions":{"1.10.3":{},"1.10.2":{},"2.0.0":{}}}'));
  const list = Buffer.from('{"versions":[{"id":"1.8.2","files":[]},{"id":"1.8.1"}]}');
  const tofu = createRelease(key, "opentofu", "1.8.2").set("api.json", list);
  const { address } = await serveRelease(new Map([...files, ...tofu]));
  const { get } = create({ download: { mirror: address, fingerprint } });
  expect((await get("terraform", "~> 1.9")).version).toBe("1.10.3");
  expect((await get("opentofu", "< 1.9")).version).toBe("1.8.2");
});

test("M068 a release with a missing or wrong signature never becomes a program", async () => {
  const good = createRelease(key, "terraform", "1.10.3");
  const { sums, archive, signature } = releases.terraform.pathsOf("1.10.3", "test_cpu");
  const changed = (files: ReleaseFiles, path: string, bytes: Buffer) => new Map(files).set(path, bytes);
  const stranger = createTestKey();
  const otherProgram = createRelease(key, "terraform", "1.10.3", printProgram("9.9.9"));
  const empty = zip({ "README.md": "nothing" });
  const cases: [string, ReleaseFiles][] = [
    ["terraform.bad_signature", createRelease(stranger, "terraform", "1.10.3")],
    ["terraform.bad_signature", changed(good, sums, Buffer.concat([good.get(sums) as Buffer, Buffer.from("\n")]))],
    ["terraform.bad_signature", changed(good, signature, Buffer.from("rubbish"))],
    ["terraform.bad_checksum", changed(good, archive, empty)],
    ["terraform.bad_archive", otherProgram],
    ["terraform.bad_archive", createRelease(key, "terraform", "1.10.3", "", empty)],
    ["terraform.bad_archive", createRelease(key, "terraform", "1.10.3", "", Buffer.from("no archive"))],
  ];
  for (const [code, files] of cases) {
    const { address } = await serveRelease(files);
    const { cacheDirectory, get } = create({ download: { mirror: address, fingerprint } });
    await expect(get("terraform", "1.10.3")).rejects.toMatchObject({ code });
    expect(existsSync(join(cacheDirectory, "terraform/1.10.3/test_cpu/terraform"))).toBe(false);
  }
  // No key is configured, so only the vendor's own key is trusted.
  const { address } = await serveRelease(good);
  await expect(create({ download: { mirror: address } }).get("terraform", "1.10.3")).rejects.toMatchObject({
    code: "terraform.bad_signature",
  });
  const given = create({ download: { mirror: address, fingerprint, signingKey: key.certificate.toString() } });
  expect((await given.get("terraform", "1.10.3")).version).toBe("1.10.3");
});

test("M068 an unavailable mirror causes a retryable fault, and the next attempt succeeds", async () => {
  const files = createRelease(key, "terraform", "1.10.3");
  const whole = new Map(files);
  files.clear();
  const { address } = await serveRelease(files);
  const { get } = create({ download: { mirror: address, fingerprint } });
  await expect(get("terraform", "1.10.3")).rejects.toMatchObject({ code: "terraform.download_failed", retry: "backoff" });
  for (const [path, bytes] of whole) files.set(path, bytes);
  expect((await get("terraform", "1.10.3")).version).toBe("1.10.3");
  const nobody = create({ download: { mirror: "http://127.0.0.1:1", fingerprint } });
  await expect(nobody.get("terraform", "1.10.3")).rejects.toMatchObject({ code: "terraform.download_failed" });
});

const { binary, skip } = findTestBinary();
test.skipIf(skip)("M068 the Terraform on this machine reports its version", async () => {
  const found = await create({ path: dirname(binary.path) }).get("terraform", ">= 1.0");
  expect(found.path).toBe(binary.path);
  expect(found.version).toMatch(/^1\.\d+\.\d+$/);
});

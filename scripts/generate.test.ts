import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractFolder, generateContract } from "./generate-contract.ts";
import { generateErrors } from "./generate-errors.ts";
import { syncFiles, type Files } from "./sync-files.ts";

const root = join(import.meta.dirname, "..");

describe("M099 generated code", () => {
  let work: string;
  let files: Files;
  const gen = `${contractFolder}/gen`;

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "cloudwright-generate-test-"));
    for (const name of ["proto", "gen", "buf.yaml", "buf.gen.yaml"]) {
      cpSync(join(root, contractFolder, name), join(work, contractFolder, name), { recursive: true });
    }
    files = generateContract(work);
  }, 60_000);
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test("matches the proto files", () => {
    expect(syncFiles({ root, files: generateContract(root), owned: [gen], write: false })).toEqual([]);
  }, 60_000);

  test("that was changed by hand, is missing or is stale is listed, and corrected on request", () => {
    const changed = `${gen}/cloudwright/v1/cluster_pb.ts`;
    const missing = `${gen}/comments.ts`;
    const left = `${gen}/cloudwright/v1/gone_pb.ts`;
    writeFileSync(join(work, changed), `${readFileSync(join(work, changed), "utf8")}// by hand\n`);
    rmSync(join(work, missing));
    writeFileSync(join(work, left), "");
    const sync = { root: work, files, owned: [gen] };
    expect(syncFiles({ ...sync, write: false })).toEqual([changed, left, missing].toSorted());
    expect(syncFiles({ ...sync, write: true })).toEqual([changed, left, missing].toSorted());
    expect(syncFiles({ ...sync, write: false })).toEqual([]);
  });

  test("contains the comments of messages, fields, services and methods", () => {
    const comments = files.get(`${gen}/comments.ts`);
    for (const name of ["Cluster", "ClusterSpec.network", "ClusterService", "ClusterService.CreateCluster"]) {
      expect(comments).toContain(`"cloudwright.v1.${name}": "`);
    }
    expect(comments).not.toContain("google.");
  });
});

describe("M012 the error reference", () => {
  test("has a section for each code with its statuses and what to do", async () => {
    const page = await generateErrors(root);
    expect(page).toContain("## platform\n\n### platform.bad_configuration\n\n| kind | HTTP | gRPC | retry |");
    expect(page).toContain("| invalid | 400 | INVALID_ARGUMENT | never |");
    const codes = [...page.matchAll(/^### (\S+)$/gm)].map(([, code]) => String(code));
    expect(codes).toEqual([...new Set(codes)].toSorted());
  });
});

import { writeLinks } from "@cloudwright/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDestroyStep } from "../steps/destroy.ts";
import { referencesReady } from "../steps/references-ready.ts";
import { referrersGone } from "../steps/referrers-gone.ts";
import { createTaskStep } from "../steps/run-task.ts";
import { done, openTestPlatform, type TestPlatform } from "../testing/test-platform.ts";
import { renderFingerprint } from "./fingerprint.ts";
import type { Lifecycle } from "./step.ts";

// One kind is enough, because all lifecycles handle references in the same way.
const kind = "Network";
const build = createTaskStep({ name: "build", condition: "InfrastructureReady", weight: 1, type: "network.apply", lane: "long" });
const lifecycle: Lifecycle = {
  service: "network",
  creation: [referencesReady, build],
  deletion: [referrersGone, createDestroyStep("network")],
  fingerprint: renderFingerprint,
  checked: false,
  readStatus: () => ({}),
};

/** A random entity with the indexes of its owner and its links. An entity refers only to entities with lower indexes. */
interface Node {
  readonly owner: number | undefined;
  readonly links: readonly number[];
}

/** Random graphs with few entities and many links, so that diamonds and long chains are common. */
const graphs: fc.Arbitrary<Node[]> = fc
  .array(fc.record({ owner: fc.option(fc.nat(), { nil: undefined }), links: fc.array(fc.nat(), { maxLength: 4 }) }), {
    minLength: 2,
    maxLength: 9,
  })
  .map((drafts) =>
    drafts.map(({ owner, links }, index) => ({
      owner: owner === undefined || index === 0 ? undefined : owner % index,
      links: index === 0 ? [] : [...new Set(links.map((place) => place % index))],
    })),
  );

async function plant(platform: TestPlatform, graph: readonly Node[]): Promise<string[]> {
  const uids: string[] = [];
  for (const [index, { owner, links }] of graph.entries()) {
    const parent = owner === undefined ? {} : { parent: uids[owner] as string };
    const uid = await platform.create(kind, `n${index}`, parent);
    const linked = links.map((place) => ({ field: "uses", uid: uids[place] as string }));
    await platform.pool.transaction((database) => writeLinks(database, uid, linked));
    uids.push(uid);
  }
  return uids;
}

/** Runs all tasks and returns the uids of their entities in order of completion. */
async function runAll(platform: TestPlatform): Promise<string[]> {
  const ended: string[] = [];
  await platform.run(({ entityUid }) => {
    ended.push(entityUid);
    return done({ built: entityUid });
  });
  return ended;
}

const referencesOf = ({ owner, links }: Node): readonly number[] => [...(owner === undefined ? [] : [owner]), ...links];

describe("M040 M041 for any graph of references", () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await openTestPlatform({ lifecycles: { [kind]: lifecycle }, kinds: [kind], hasLinks: true });
  });
  afterAll(() => platform.close());

  test(
    "each entity is built after the entities it references and deleted before them, and none waits forever",
    { timeout: 600_000 },
    async () => {
      const checkOrder = async (graph: readonly Node[]): Promise<void> => {
        const uids = await plant(platform, graph);
        const built = await runAll(platform);
        expect(built.toSorted()).toEqual(uids.toSorted());
        for (const uid of uids) expect((await platform.get(uid)).status["phase"]).toBe("RUNNING");
        const roots = uids.filter((_, index) => graph[index]?.owner === undefined);
        for (const uid of roots) await platform.remove(uid);
        const deleted = await runAll(platform);
        expect(deleted.toSorted()).toEqual(uids.toSorted());
        for (const [index, node] of graph.entries()) {
          for (const place of referencesOf(node)) {
            const [own, referenced] = [uids[index] as string, uids[place] as string];
            expect(built.indexOf(referenced)).toBeLessThan(built.indexOf(own));
            expect(deleted.indexOf(own)).toBeLessThan(deleted.indexOf(referenced));
          }
        }
        for (const uid of uids) expect(await platform.find(uid)).toBeUndefined();
      };
      await fc.assert(fc.asyncProperty(graphs, checkOrder), { numRuns: 12, endOnFailure: true });
    },
  );

  test("a change to an entity's outputs reaches every entity that links to it", async () => {
    const alone = { owner: undefined };
    const diamond = [
      { ...alone, links: [] },
      { ...alone, links: [0] },
      { ...alone, links: [0] },
      { ...alone, links: [1, 2] },
    ];
    const uids = await plant(platform, diamond);
    await runAll(platform);
    await platform.update(uids[0] as string, { cidr: "10.1.0.0/16" });
    const payloads = new Map<string, unknown>();
    await platform.run(({ entityUid, payload }) => {
      payloads.set(entityUid, (payload as { references?: unknown }).references);
      return done({ built: "anew" });
    });
    expect([...payloads.keys()].toSorted()).toEqual(uids.toSorted());
    expect(payloads.get(uids[3] as string)).toMatchObject([
      { field: "uses", kind, name: "n1", uid: uids[1], outputs: { built: "anew" } },
      { field: "uses", kind, name: "n2", uid: uids[2], outputs: { built: "anew" } },
    ]);
  });
});

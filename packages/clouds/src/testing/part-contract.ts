import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CloudPart, PartAttributes } from "../library/parts.ts";

/** A part to run the suite against. */
export interface PartFixture {
  /** Opens the part for an entity. */
  open(entityUid: string): CloudPart;
  /** Attributes of a valid resource. Immutable names contain the entity's uid. */
  attributes(entityUid: string): PartAttributes;
  /** Attributes to change in place. */
  readonly change: PartAttributes;
  close(): Promise<void>;
}

const longMs = 60_000;

/** Uid of the entity that owns the resource in the suite. */
export const contractUid = "0199aaaa-0000-7000-8000-00000000c0de";

/** The contract suite for `CloudPart`. */
export function describeCloudPart(title: string, openFixture: () => Promise<PartFixture>, skipped = ""): void {
  describe.skipIf(skipped !== "")(`the part contract: ${title}${skipped === "" ? "" : ` (skipped: ${skipped})`}`, () => {
    const entityUid = contractUid;
    const otherUid = "0199aaaa-0000-7000-8000-0000deadbeef";
    const owner = { entityUid, name: "main", token: "part-1" };
    const { signal } = new AbortController();
    let fixture: PartFixture;
    let part: CloudPart;
    let id: string;
    beforeAll(async () => {
      fixture = await openFixture();
      part = fixture.open(entityUid);
    }, longMs);
    afterAll(() => fixture?.close());

    test(
      "X031 a created resource is usable and has every requested attribute",
      async () => {
        const desired = fixture.attributes(entityUid);
        const made = await part.create(desired, owner, signal);
        ({ id } = made);
        expect(made.attributes).toMatchObject({ ...desired, ready: true, failed: false });
        const live = await part.read(id, signal);
        for (const [name, value] of Object.entries(desired)) expect([name, live?.[name]]).toEqual([name, value]);
        expect(live).toEqual(made.attributes);
      },
      longMs,
    );

    test(
      "X031 a repeated creation returns the same resource, and another entity's creation is refused or creates a separate resource",
      async () => {
        expect((await part.create(fixture.attributes(entityUid), owner, signal)).id).toBe(id);
        expect(await part.listOwned(entityUid, signal)).toEqual([{ id, name: "main" }]);
        const other = { entityUid: otherUid, name: "main", token: "part-2" };
        const strangers = fixture.open(otherUid);
        const outcome = await strangers.create(fixture.attributes(entityUid), other, signal).then(
          async (made) => {
            await strangers.delete(made.id, signal);
            return made.id === id ? "the same resource" : "another resource";
          },
          (error: unknown) => {
            const { kind, code } = error as { kind?: string; code?: string };
            return kind === "conflict" ? kind : code;
          },
        );
        expect(["another resource", "conflict", "clouds.invalid"]).toContain(outcome);
        expect(await part.listOwned(entityUid, signal)).toEqual([{ id, name: "main" }]);
      },
      longMs,
    );

    test("X031 the owner is found by tag, and a missing resource has none", async () => {
      expect(await part.findOwner(id, signal)).toBe(entityUid);
      expect(await part.listOwned(otherUid, signal)).toEqual([]);
      for (const name of part.immutable) expect(Object.keys(fixture.change)).not.toContain(name);
    });

    test(
      "M042 an update changes the resource in place, and a repeated one changes nothing",
      async () => {
        const desired = { ...fixture.attributes(entityUid), ...fixture.change };
        const updated = await part.update(id, desired, signal);
        for (const [name, value] of Object.entries(desired)) expect([name, updated[name]]).toEqual([name, value]);
        expect(await part.update(id, desired, signal)).toEqual(updated);
        expect(await part.read(id, signal)).toEqual(updated);
        expect(await part.findOwner(id, signal)).toBe(entityUid);
      },
      longMs,
    );

    test(
      "X016 another entity cannot delete the resource",
      async () => {
        await expect(fixture.open(otherUid).delete(id, signal)).rejects.toMatchObject({ code: "clouds.conflict" });
        expect(await part.read(id, signal)).toMatchObject({ ready: true });
      },
      longMs,
    );

    test(
      "X010 a deletion completes, even if it is repeated",
      async () => {
        await part.delete(id, signal);
        await part.delete(id, signal);
        expect(await part.read(id, signal)).toBeUndefined();
        expect(await part.findOwner(id, signal)).toBeUndefined();
        expect(await part.listOwned(entityUid, signal)).toEqual([]);
      },
      longMs,
    );

    test("M162 a cancelled call rejects with the signal's reason", async () => {
      const reason = new Error("stopped by the caller");
      const aborted = AbortSignal.abort(reason);
      await expect(part.read(id, aborted)).rejects.toBe(reason);
      await expect(part.create(fixture.attributes(entityUid), owner, aborted)).rejects.toBe(reason);
      await expect(part.delete(id, aborted)).rejects.toBe(reason);
    });
  });
}

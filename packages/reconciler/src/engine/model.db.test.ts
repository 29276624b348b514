import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHouseModel, type Happening } from "../testing/house-model.ts";
import { openTestHouse } from "../testing/test-house.ts";

const at = fc.nat(50);
const kind = fc.constantFrom("Account", "Network", "Cluster", "NodePool", "Storage");
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("create" as const), kind, at }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom("update", "remove", "force", "pause", "resume", "cancel", "retry"), at }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constantFrom("settle", "lease") }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("approve", "approve", "discard", "expire", "outdate", "take"), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("crash", "restart") }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      at,
      how: fc.constantFrom("done", "done", "failed", "again", "cancelled"),
    }),
  },
);

describe("M040 M041 M045 M049 M071 X032 whatever happens to a tree of entities", () => {
  test(
    "order, legal phases, no orphans and at most one run of each plan hold at every moment, and everything ends as asked for",
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(happening, { minLength: 20, maxLength: 60 }), async (happenings) => {
          const house = await openTestHouse();
          try {
            const model = createHouseModel(house);
            for (const one of [{ do: "create", kind: "Account", at: 0 } as const, ...happenings]) {
              await model.play(one);
              expect({ after: one, broken: await model.findBroken() }).toEqual({ after: one, broken: [] });
            }
            expect(await model.finish()).toEqual([]);
          } finally {
            await house.close();
          }
        }),
        // Shrinking takes many times as long as finding; the seed in the message does as well.
        { numRuns: 12, endOnFailure: true },
      );
    },
  );
});

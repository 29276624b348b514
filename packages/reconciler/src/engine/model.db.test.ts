import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPlatformModel, type Happening } from "../testing/platform-model.ts";
import { openTestPlatform } from "../testing/test-platform.ts";

const at = fc.nat(50);
const kind = fc.constantFrom("Account", "Network", "Cluster", "NodePool", "Storage");
const create = fc.record({ do: fc.constant("create" as const), kind, at });
const act = fc.record({
  do: fc.constantFrom(
    "update" as const,
    "remove" as const,
    "force" as const,
    "pause" as const,
    "resume" as const,
    "cancel" as const,
    "retry" as const,
  ),
  at,
});
const change = fc.record({ do: fc.constantFrom("update" as const, "update" as const, "retry" as const), at });
const look = fc.record({ do: fc.constantFrom("settle" as const, "lease" as const) });
const mishap = fc.record({ do: fc.constantFrom("crash" as const, "restart" as const, "die" as const) });
const progress = fc.record({ do: fc.constant("progress" as const), at });
const judgement = fc.record({
  do: fc.constantFrom(
    "approve" as const,
    "approve" as const,
    "discard" as const,
    "expire" as const,
    "outdate" as const,
    "take" as const,
  ),
  at,
});
const end = fc.record({
  do: fc.constant("end" as const),
  at,
  how: fc.constantFrom("done" as const, "done" as const, "failed" as const, "again" as const, "cancelled" as const),
});
const weigh = (weight: number, arbitrary: fc.Arbitrary<Happening>): fc.WeightedArbitrary<Happening> => ({ weight, arbitrary });

/** Any event. */
const happening = fc.oneof(
  weigh(6, create),
  weigh(6, act),
  weigh(10, look),
  weigh(2, mishap),
  weigh(2, judgement),
  weigh(10, end),
);
/** Random events for a tree that is already built. Most of them concern runs. */
const runHappening = fc.oneof(
  weigh(1, create),
  weigh(2, act),
  weigh(5, change),
  weigh(5, look),
  weigh(5, mishap),
  weigh(10, judgement),
  weigh(6, end),
  weigh(8, progress),
);
const first: Happening[] = [{ do: "create", kind: "Account", at: 0 }];
const tree: Happening[] = [
  ...(["Account", "Network", "Cluster", "NodePool", "Storage"] as const).map(
    (one) => ({ do: "create", kind: one, at: 0 }) as const,
  ),
  { do: "build" },
];

describe("M040 M041 M045 M049 M071 X032 after any sequence of events on a tree of entities", () => {
  test.each([
    ["from the start", first, fc.array(happening, { minLength: 20, maxLength: 60 }), 8],
    ["while people approve and discard plans", tree, fc.array(runHappening, { minLength: 20, maxLength: 40 }), 6],
  ] as const)(
    "order, phases, ownership and plans stay valid %s, and every entity ends as its spec says",
    { timeout: 600_000 },
    async (_, beginning, histories, numRuns) => {
      await fc.assert(
        fc.asyncProperty(histories, async (happenings) => {
          const platform = await openTestPlatform();
          try {
            const model = createPlatformModel(platform);
            for (const one of [...beginning, ...happenings]) {
              await model.play(one);
              expect({ after: one, broken: await model.findBroken() }).toEqual({ after: one, broken: [] });
            }
            expect(await model.finish()).toEqual([]);
          } finally {
            await platform.close();
          }
        }),
        // Shrinking would take many times as long as the run. The seed in the message is enough to reproduce the failure.
        { numRuns, endOnFailure: true },
      );
    },
  );
});

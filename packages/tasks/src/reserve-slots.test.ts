import { chooseSeed } from "@cloudwright/platform/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changeReservation, planReservations, type SlotUse } from "./reserve-slots.ts";

const seed = chooseSeed();
let nextToken = 0;

function use(project: string, part: Partial<SlotUse> = {}): SlotUse {
  return { project, lane: "long", agent_uid: "a0", lease_token: `l${nextToken++}`, stopping: false, ...part };
}

const reservation = { agent_uid: "a0", lane: "long", project: "greedy", slots: 2, idle_seconds: 0 } as const;

test("X063 a reservation covers what other projects use and what becomes free for them, on the same agent and lane", () => {
  const victim = use("greedy");
  const stopping = use("greedy", { stopping: true });
  const elsewhere = [use("calm", { agent_uid: "a1" }), use("calm", { lane: "short" })];
  const running = [victim, stopping, use("greedy"), use("calm"), ...elsewhere];
  expect(planReservations([victim], running, new Set())).toEqual([
    { agent_uid: "a0", lane: "long", project: "greedy", slots: 2 },
  ]);
  expect(planReservations([victim], running, new Set([stopping.lease_token]))).toMatchObject([{ slots: 3 }]);
});

test("X063 a reservation is renewed while it is used or while an interrupted task is stopping", () => {
  expect(changeReservation(reservation, [use("calm"), use("third"), use("greedy")])).toBe("touch");
  expect(changeReservation(reservation, [use("greedy", { stopping: true })])).toBe("touch");
  expect(changeReservation(reservation, [use("calm"), use("greedy")])).toBe("keep");
});

test(`X063 reserved slots that nobody uses for two minutes are released, and the others stay reserved (seed ${seed})`, () => {
  const property = fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(9), fc.nat(300), (slots, others, idleSeconds) => {
    const running = [use("greedy"), ...Array.from({ length: others }, () => use("calm"))];
    const change = changeReservation({ ...reservation, slots, idle_seconds: idleSeconds }, running);
    const unused = idleSeconds < 120 ? "keep" : { slots: others };
    expect(change).toEqual(others >= slots ? "touch" : unused);
  });
  fc.assert(property, { seed });
});

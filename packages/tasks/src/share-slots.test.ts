import { chooseSeed } from "@cloudwright/platform/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Demand } from "./match-agent.ts";
import type { LiveAgent } from "./presence.ts";
import { chooseVictims } from "./share-slots.ts";
import type { Lane } from "./task.ts";
import { stopSeconds } from "./time-limits.ts";

const turnSeconds = 600;
const seed = chooseSeed();

const demands: Demand[] = [
  { id: 1, placement: {}, type: "cluster.apply", payloadVersion: 1 },
  { id: 2, placement: { site: "nowhere" }, type: "cluster.apply", payloadVersion: 1 },
];

function createAgent(uid: string, serves?: readonly string[]): LiveAgent {
  return { uid, name: uid, project: "system", serves, labels: {}, types: "*", payloadVersions: { min: 1, max: 1 } };
}

interface Running {
  readonly project: string;
  readonly lane: Lane;
  readonly agent_uid: string;
  readonly account: string;
  readonly uid: string;
  readonly lease_token: string;
  readonly stopping: boolean;
  readonly seconds: number;
}

const names = ["p0", "p1", "p2", "p3", "p4", "p5"];
const project = fc.constantFrom(...names);
const lane = fc.constantFrom<Lane>("long", "short");

test(`X063 an interruption takes a slot only from a project above its share, and never for a task that the agent could not run (seed ${seed})`, () => {
  const agents = fc.array(fc.option(fc.subarray(names, { minLength: 1 })), { minLength: 1, maxLength: 4 });
  const task = fc.record({
    project,
    lane,
    agent: fc.nat(3),
    seconds: fc.constantFrom(10, 149, 150, 599, 600, 5000),
    stop: fc.constantFrom("", "", "fresh", "old"),
  });
  const group = fc.record({ project, lane, demand: fc.constantFrom(1, 2) });
  const property = fc.property(
    agents,
    fc.array(task, { maxLength: 20 }),
    fc.uniqueArray(group, { selector: (one) => JSON.stringify(one) }),
    (lists, tasks, ripe) => {
      const live = lists.map((list, index) => createAgent(`a${index}`, list ?? undefined));
      const running: Running[] = tasks.map(({ agent, stop, ...one }, index) => {
        return {
          ...one,
          agent_uid: `a${agent % live.length}`,
          account: "",
          uid: `t${index}`,
          lease_token: `l${index}`,
          stopping: stop !== "",
        };
      });
      const soonFree = new Set(tasks.flatMap(({ stop }, index) => (stop === "fresh" ? [`l${index}`] : [])));
      const chosen = chooseVictims({ ripe, waiting: ripe, running, agents: live, demands, soonFree }, { turnSeconds });
      const turns = chosen.map(({ task: one }) => `${one.lane} ${one.project}`);
      expect(new Set(turns).size).toBe(turns.length);
      expect(new Set(chosen.map(({ victim }) => victim.uid)).size).toBe(chosen.length);
      for (const { task: one, victim } of chosen) {
        expect(one.demand).toBe(1);
        expect(victim).toMatchObject({ lane: one.lane, stopping: false });
        expect(victim.project).not.toBe(one.project);
        const able = live.filter(({ serves }) => serves?.includes(one.project) ?? true).map(({ uid }) => uid);
        expect(able).toContain(victim.agent_uid);
        const isOwn = (other: Running): boolean => other.project === one.project && other.lane === one.lane;
        const hasSlot = running.some((other) => isOwn(other) && able.includes(other.agent_uid));
        expect(victim.seconds).toBeGreaterThanOrEqual(hasSlot ? turnSeconds : turnSeconds / 4);
        const left = running.filter(
          (other) => other.project === victim.project && other.lane === one.lane && able.includes(other.agent_uid),
        );
        const taken = left.filter(({ uid }) => chosen.some((other) => other.victim.uid === uid));
        expect(left.length - taken.length).toBeGreaterThanOrEqual(1);
      }
    },
  );
  fc.assert(property, { numRuns: 500, seed });
});

test(`X063 every project gets its share, whatever its oldest task requires and however many interrupted tasks hang (seed ${seed})`, () => {
  const property = fc.property(
    fc.integer({ min: 2, max: 12 }),
    fc.uniqueArray(project, { minLength: 1, maxLength: 5 }),
    fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    (slots, patient, hangs) => {
      const agents = [createAgent("a0")];
      let nextId = 0;
      const start = (owner: string, atSeconds: number) => {
        const id = nextId++;
        return {
          project: owner,
          id,
          atSeconds,
          stopAt: undefined as number | undefined,
          hangs: hangs[id % hangs.length] ?? false,
        };
      };
      let running = Array.from({ length: slots }, () => start("greedy", -5000));
      // Each project's oldest task has demand 2, which no agent meets.
      const waiting = patient.flatMap((owner) => [2, 1].map((demand) => ({ project: owner, lane: "long" as const, demand })));
      const share = Math.max(1, Math.floor(slots / (patient.length + 1)));
      const count = (owner: string): number => running.filter((task) => task.project === owner).length;
      for (let now = 0; now < 12_000; now += 30) {
        // Cooperative agents stop immediately. The leases of all other agents are no longer renewed and expire.
        const freed = running.filter(
          ({ stopAt, hangs: isStuck }) => stopAt !== undefined && (!isStuck || now - stopAt > stopSeconds + 60),
        );
        running = running.filter((task) => !freed.includes(task));
        while (running.length < slots) {
          const [next] = [...patient, "greedy"].toSorted((a, b) => count(a) - count(b));
          running.push(start(next ?? "", now));
        }
        const rows: Running[] = running.map(({ project: owner, id, atSeconds, stopAt }) => {
          const stopping = stopAt !== undefined;
          return {
            project: owner,
            lane: "long",
            agent_uid: "a0",
            account: "",
            uid: `t${id}`,
            lease_token: `l${id}`,
            stopping,
            seconds: now - atSeconds,
          };
        });
        const soonFree = new Set(
          running.filter(({ stopAt }) => stopAt !== undefined && now - stopAt < stopSeconds).map(({ id }) => `l${id}`),
        );
        for (const { victim } of chooseVictims(
          { ripe: waiting, waiting, running: rows, agents, demands, soonFree },
          { turnSeconds },
        )) {
          const stopped = running.find(({ id }) => `t${id}` === victim.uid);
          if (stopped !== undefined) stopped.stopAt = now;
        }
      }
      if (slots <= patient.length) return;
      for (const owner of patient) expect([owner, count(owner) >= share]).toEqual([owner, true]);
      expect(count("greedy")).toBeGreaterThanOrEqual(1);
    },
  );
  fc.assert(property, { numRuns: 40, seed });
});

test("X063 a project without any slot waits only for a quarter of another project's turn", () => {
  const hold = (owner: string, count: number, seconds: number): Running[] =>
    Array.from({ length: count }, (_, nth) => {
      const id = `${owner}${nth}`;
      return { project: owner, lane: "long", agent_uid: "a0", account: "", uid: id, lease_token: id, stopping: false, seconds };
    });
  const ripe = [{ project: "patient", lane: "long" as const, demand: 1 }];
  const choose = (running: Running[]) =>
    chooseVictims({ ripe, waiting: ripe, running, agents: [createAgent("a0")], demands, soonFree: new Set() }, { turnSeconds });
  expect(choose(hold("greedy", 4, 149))).toEqual([]);
  expect(choose(hold("greedy", 4, 150))).toMatchObject([{ victim: { project: "greedy" } }]);
  const withOwn = (seconds: number): Running[] => [...hold("greedy", 5, seconds), ...hold("patient", 1, 10)];
  expect(choose(withOwn(599))).toEqual([]);
  expect(choose(withOwn(600))).toMatchObject([{ victim: { project: "greedy" } }]);
});

test("X063 thousands of different requirements of one project cost no more comparisons than one", () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({ ...(demands[0] as Demand), id: index + 1 }));
  const waiting = many.map(({ id }) => ({ project: "hostile", lane: "long" as const, demand: id }));
  let compared = 0;
  const running = new Proxy([] as Running[], {
    get: (target, name, receiver: unknown) => {
      if (name === "filter") compared += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const agents = [createAgent("a0"), createAgent("a1")];
  expect(chooseVictims({ ripe: waiting, waiting, running, agents, demands: many, soonFree: new Set() }, { turnSeconds })).toEqual(
    [],
  );
  expect(compared).toBe(1);
});

import { expect, test } from "vitest";
import { share } from "./share.ts";

interface Asked {
  readonly question: string;
  readonly answer: PromiseWithResolvers<string>;
}

function createAsker(): { asked: Asked[]; ask: (question: string) => Promise<string> } {
  const asked: Asked[] = [];
  const shared = share<string>();
  const ask = (question: string): Promise<string> =>
    shared(question, () => {
      const answer = Promise.withResolvers<string>();
      asked.push({ question, answer });
      return answer.promise;
    });
  return { asked, ask };
}

test("concurrent calls with the same key share one result", async () => {
  const { asked, ask } = createAsker();
  const answers = [ask("a"), ask("a"), ask("b")];
  await expect.poll(() => asked.map(({ question }) => question)).toEqual(["a", "b"]);
  asked[0]?.answer.resolve("one");
  asked[1]?.answer.resolve("two");
  expect(await Promise.all(answers)).toEqual(["one", "one", "two"]);
});

test("a caller never gets the result of a call that started before its own", async () => {
  const { asked, ask } = createAsker();
  const first = ask("a");
  await expect.poll(() => asked).toHaveLength(1);
  const later = [ask("a"), ask("a")];
  asked[0]?.answer.resolve("old");
  expect(await first).toBe("old");
  await expect.poll(() => asked).toHaveLength(2);
  asked[1]?.answer.resolve("new");
  expect(await Promise.all(later)).toEqual(["new", "new"]);
});

test("the next caller retries a failed call", async () => {
  const { asked, ask } = createAsker();
  const failed = ask("a");
  await expect.poll(() => asked).toHaveLength(1);
  const later = ask("a");
  asked[0]?.answer.reject(new Error("no answer"));
  await expect(failed).rejects.toThrow("no answer");
  await expect.poll(() => asked).toHaveLength(2);
  asked[1]?.answer.resolve("an answer");
  expect(await later).toBe("an answer");
});

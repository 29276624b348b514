import { Fault } from "@cloudwright/platform";
import { kubeFaults } from "./faults.ts";
import type { KubeObject } from "./kube-object.ts";
import { readError } from "./read-error.ts";
import { tooLarge } from "./transport.ts";

/** A change reported by a watch. */
export interface KubeEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: KubeObject;
}

/** Maximum length of an event. The API stores objects of up to 3 MiB. */
const longestLine = 8 * 1024 ** 2;

/** Parses the lines of a watch response. Throws a fault if the API ends the watch with an error, or if a line is too long. */
export async function* readWatch(what: string, stream: AsyncIterable<string | Buffer>): AsyncGenerator<KubeEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > longestLine) throw tooLarge(what, longestLine);
    for (const line of lines) if (line.trim() !== "") yield readLine(what, line);
  }
}

function readLine(what: string, line: string): KubeEvent {
  const event = parse(what, line);
  if ((event.type as string) !== "ERROR") return event;
  const { code } = event.object as unknown as { code?: number };
  throw readError(what, code ?? 500, event.object);
}

function parse(what: string, line: string): KubeEvent {
  try {
    return JSON.parse(line) as KubeEvent;
  } catch (cause) {
    throw new Fault(kubeFaults.bad_answer, `${what}: a line of the watch is not JSON`, { cause });
  }
}

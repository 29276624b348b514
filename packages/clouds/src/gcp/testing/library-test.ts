import { afterEach, beforeEach, expect } from "vitest";
import type { CallFacts } from "../../library/call-options.ts";
import type { CloudFault } from "../../library/errors.ts";
import type { CloudLibrary } from "../../library/library.ts";
import { createGcp, type GcpLibraryOptions } from "../create-gcp.ts";
import { fakeProject, startFakeGoogle, type FakeGoogle } from "./fake-google.ts";

/** A fake project that is recreated for each test, and libraries that use it. */
export interface LibraryTest {
  readonly google: FakeGoogle;
  /** The requests that the libraries counted. */
  readonly calls: CallFacts[];
  /** The current time. It advances only during waits, which return immediately. */
  nowMs: number;
  open(options?: Partial<GcpLibraryOptions>): CloudLibrary;
  /** Returns the requests whose method and path end with the given text. */
  sent(suffix: string): FakeGoogle["seen"];
}

/** Starts a fake project before each test of a file and stops it afterwards. */
export function useFakeProject(): LibraryTest {
  let google: FakeGoogle | undefined;
  const calls: CallFacts[] = [];
  const own: LibraryTest = {
    get google() {
      if (google === undefined) throw new Error("the fake project exists only during a test");
      return google;
    },
    calls,
    nowMs: 0,
    open: (options = {}) =>
      createGcp({
        projectId: fakeProject,
        accessToken: "token-1",
        zone: "us-central1-a",
        endpoints: own.google.endpoints,
        budget: {
          async take(call) {
            calls.push(call);
            return () => undefined;
          },
        },
        clock: {
          now: () => own.nowMs,
          async sleep(ms, signal) {
            signal?.throwIfAborted();
            own.nowMs += ms;
          },
        },
        ...options,
      }),
    sent: (suffix) => own.google.seen.filter(({ key }) => key.endsWith(suffix)),
  };
  beforeEach(async () => {
    google = await startFakeGoogle();
    calls.length = 0;
    own.nowMs = Date.UTC(2026, 0, 1);
  });
  afterEach(() => own.google.close());
  return own;
}

/** A cluster as users of other libraries request it: in a region, while the client has a default zone. */
export const clusterRequest = {
  name: "my-cluster",
  version: "1.29",
  region: "us-central1",
  nodeCount: 3,
  nodeType: "e2-standard-4",
} as const;

/** Returns the fault from a call that must fail. */
export async function faultOf(work: Promise<unknown>): Promise<CloudFault> {
  return work.then(
    () => expect.unreachable("the call succeeded"),
    (error: unknown) => error as CloudFault,
  );
}

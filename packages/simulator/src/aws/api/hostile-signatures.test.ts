import { expect, test } from "vitest";
import { parseSignature, isSignedWith, type Signature, type SignedRequest } from "./sigv4.ts";

const time = "20261116T192142Z";
const scope = "AKIASIMUAAAA/20261116/eu-west-1/eks/aws4_request";
const zeros = "0".repeat(64);

function requestWith(signedHeaders: string, more: Partial<SignedRequest> = {}): SignedRequest {
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${signedHeaders}, Signature=${zeros}`;
  const { headers = [], ...rest } = more;
  return {
    method: "GET",
    rawPath: "/clusters",
    rawQuery: "",
    body: Buffer.alloc(0),
    ...rest,
    headers: [["host", "x"], ["x-amz-date", time], ["authorization", authorization], ...headers],
  };
}

test("X063 a signature that covers a header twice is refused before anything is computed", () => {
  expect(parseSignature(requestWith("host;x-amz-date"))).toMatchObject({ signedHeaders: ["host", "x-amz-date"] });
  const value = "x ".repeat(3800);
  const repeated = `host;${Array.from({ length: 3900 }, () => "a").join(";")}`;
  expect(parseSignature(requestWith(repeated, { headers: [["a", value]] }))).toBe("incomplete");
  expect(parseSignature(requestWith("host;a;a", { headers: [["a", value]] }))).toBe("incomplete");
  expect(parseSignature(requestWith("host;a;A", { headers: [["a", value]] }))).toBe("incomplete");
});

test("X063 a signature that covers a header which the request does not have is refused", () => {
  expect(parseSignature(requestWith("host;x-note"))).toBe("incomplete");
  expect(parseSignature(requestWith("host;x-note", { headers: [["x-note", ""]] }))).toMatchObject({ region: "eu-west-1" });
});

test("X063 a signature covers at most fifty headers", () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => [`x-${index}`, "v"] as const);
  const parse = (count: number) => {
    const headers = named(count);
    return parseSignature(requestWith(["host", ...headers.map(([name]) => name)].join(";"), { headers }));
  };
  expect(parse(49)).toMatchObject({ service: "eks" });
  expect(parse(50)).toBe("incomplete");
});

test("X063 a signed request has at most a thousand query parameters, in the header and in presigned URLs", () => {
  const query = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}=1`).join("&");
  expect(parseSignature(requestWith("host", { rawQuery: query(1000) }))).toMatchObject({ service: "eks" });
  expect(parseSignature(requestWith("host", { rawQuery: query(1001) }))).toBe("incomplete");
  const signed = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(scope)}&X-Amz-Date=${time}&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=${zeros}`;
  const presigned = (rawQuery: string): SignedRequest => ({ ...requestWith("host"), headers: [["host", "x"]], rawQuery });
  expect(parseSignature(presigned(signed))).toMatchObject({ validSeconds: 60 });
  expect(parseSignature(presigned(`${signed}&${query(1000)}`))).toBe("incomplete");
});

test("X063 verifying a signature does not search all headers for each signed one", () => {
  let reads = 0;
  const counted = Array.from({ length: 500 }, (_, index) => {
    const pair = [`x-${index % 40}`, "v"] as [string, string];
    return new Proxy(pair, {
      get(target, name, receiver) {
        if (name === "0") reads++;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
  });
  const names = ["host", ...Array.from({ length: 40 }, (_, index) => `x-${index}`)];
  const request = requestWith(names.join(";"), { headers: counted });
  const signature = parseSignature(request) as Signature;
  reads = 0;
  expect(isSignedWith(request, signature, "secret")).toBe(false);
  expect(reads).toBeLessThanOrEqual(3 * counted.length);
});

import { pickChildEnvironment, processEnvironment, requireTool } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { waitUntil } from "../wait-until.ts";

/** Tools for tests with the real AWS provider, or the reason why a tool is missing. */
export type RealAws =
  | { readonly found: true; readonly terraform: string; readonly moto: string; readonly mirror: string }
  | { readonly found: false; readonly reason: string };

/**
 * Finds Terraform, moto, and a provider mirror that contains `hashicorp/aws`. CLOUDWRIGHT_PROVIDER_MIRROR contains the path of the mirror.
 */
export function findRealAws(): RealAws {
  const mirror = processEnvironment["CLOUDWRIGHT_PROVIDER_MIRROR"] ?? "";
  if (mirror === "" || !existsSync(join(mirror, "registry.terraform.io/hashicorp/aws"))) {
    return { found: false, reason: "CLOUDWRIGHT_PROVIDER_MIRROR names no folder with registry.terraform.io/hashicorp/aws" };
  }
  const [terraform, moto] = [requireTool("terraform"), requireTool("moto_server")];
  if (!terraform.found) return terraform;
  if (!moto.found) return moto;
  return { found: true, terraform: terraform.path, moto: moto.path, mirror };
}

/** A running moto server: a local AWS emulator. */
export interface Moto {
  readonly address: string;
  /** Returns the ids of two subnets in different zones of the region's default VPC. */
  listSubnets(region: string): Promise<readonly string[]>;
  /** Renders a provider block that redirects all services to moto. */
  renderProvider(): object;
  close(): Promise<void>;
}

// AWS services that the product's configurations use.
const services = ["autoscaling", "ec2", "eks", "events", "iam", "kms", "logs", "s3", "s3control", "sqs", "ssm", "sts"];

/** Starts moto on a free port. */
export async function startMoto(program: string): Promise<Moto> {
  const child = spawn(program, ["-H", "127.0.0.1", "-p", "0"], {
    // The configurations attach AWS managed policies to roles.
    env: { ...pickChildEnvironment(processEnvironment), MOTO_IAM_LOAD_MANAGED_POLICIES: "true" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const portOf = (): string | undefined => /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
  await waitUntil("moto listens", () => portOf() !== undefined || child.exitCode !== null);
  const port = Number(portOf());
  if (Number.isNaN(port)) throw new Error(`moto exited: ${said}`);
  const front = await startFront(port);
  return {
    address: `http://127.0.0.1:${port}`,
    async listSubnets(region) {
      const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/ec2/aws4_request, SignedHeaders=host, Signature=0`;
      const zones = ["a", "b"].map((letter, place) => `&Filter.1.Value.${place + 1}=${region}${letter}`).join("");
      const query = `Action=DescribeSubnets&Version=2016-11-15&Filter.1.Name=availability-zone${zones}`;
      const answer = await fetch(`http://127.0.0.1:${port}/?${query}`, { headers: { authorization } });
      return [...(await answer.text()).matchAll(/<subnetId>([^<]+)</g)].map(([, id = ""]) => id);
    },
    renderProvider: () => ({
      provider: {
        aws: {
          access_key: "test",
          secret_key: "test",
          skip_metadata_api_check: true,
          s3_use_path_style: true,
          http_proxy: front.address,
          https_proxy: "",
          endpoints: [Object.fromEntries(services.map((name) => [name, `http://${hostOf(name)}:${port}`]))],
        },
      },
    }),
    async close() {
      front.close();
      child.kill("SIGKILL");
      await ended;
    },
  };
}

// For S3 Control, the SDK prepends the account id to this host name. The resulting name need not resolve, because requests go through a
// proxy.
function hostOf(service: string): string {
  return service === "s3control" ? "localhost" : "127.0.0.1";
}

/** Starts a proxy that forwards every request to moto. */
async function startFront(port: number): Promise<{ readonly address: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://moto");
    const { method, headers } = request;
    const asked = send({ host: "127.0.0.1", port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.on("error", () => response.writeHead(502).end());
    request.pipe(asked);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { services } from "@cloudwright/contract";
import { Health, HealthCheckResponse_ServingStatus as Serving } from "@cloudwright/contract/gen/grpc/health/v1/health_pb.ts";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";

/** Size limit for requests that need no credentials. */
export const openLimits = { readMaxBytes: 4096 };

/** Registers the standard gRPC health service for load balancers and gRPC clients. */
export function registerHealth(router: ConnectRouter, isReady: () => Promise<boolean>): void {
  const known = new Set(["", ...services.map((service) => service.typeName)]);
  const check = async (service: string): Promise<{ status: Serving }> => ({
    status: (await isReady()) ? Serving.SERVING : known.has(service) ? Serving.NOT_SERVING : Serving.SERVICE_UNKNOWN,
  });
  router.service(
    Health,
    {
      async check({ service }) {
        if (!known.has(service)) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
        return check(service);
      },
      async *watch({ service }, context) {
        if (!known.has(service)) yield { status: Serving.SERVICE_UNKNOWN };
        else yield await check(service);
        await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve(), { once: true }));
      },
    },
    openLimits,
  );
}

import type { FieldViolation } from "@cloudwright/platform";
import type { Environment } from "../../gen/cloudwright/v1/environment_pb.ts";
import type { Project } from "../../gen/cloudwright/v1/project_pb.ts";

/** Rejects maintenance windows with a time zone that the server does not know. */
export function checkMaintenanceWindows({ spec }: Project | Environment): FieldViolation[] {
  return (spec?.maintenanceWindows ?? []).flatMap(({ timeZone }, index) =>
    timeZone === "" || isTimeZone(timeZone)
      ? []
      : [
          {
            field: `spec.maintenanceWindows[${index}].timeZone`,
            message: `"${timeZone}" is not a known time zone; use a name such as Europe/Berlin`,
          },
        ],
  );
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

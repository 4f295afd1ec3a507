export { type UsageOptions, usageReport } from "./usage-report.ts";

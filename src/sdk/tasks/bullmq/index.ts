export { type BullmqOptions, type BullmqTasks, bullmqTasks } from "./backend.ts";

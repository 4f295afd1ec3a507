export * from "./index.ts";
export { priceUsage } from "./prices/cost.ts";
export { openPrices, type PriceTable, pricedModel } from "./prices/price-table.ts";
export { weekdays } from "./reports/calendar.ts";
export { reportNames } from "./usage-options.ts";

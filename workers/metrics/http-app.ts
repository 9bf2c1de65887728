import { Hono } from 'hono';
import { type HttpGuard, requestRefusal } from '../../shared/core/http-guard.ts';
import {
  metricsContentType,
  renderMetrics,
  type Sample,
} from '../../shared/observability/metrics-registry.ts';
import type { Summary } from '../../shared/schemas/summary.ts';

export interface HttpSources {
  samples(): Promise<Iterable<Sample>>;
  /** Why the worker is not ready; undefined when it is. */
  unready(): string | undefined;
  /** The latest figures of a sweep; undefined for a sweep that this worker doesn't serve. */
  summary(sweep: string): Summary | undefined;
}

/** For whom the guard lets through: `/metrics`, `/healthz` (the process lives), `/readyz` (it can do its work), `/sweeps/ID/summary.json`. */
export function createHttpApp(sources: HttpSources, guard: HttpGuard): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    const { authorization, host } = context.req.header();
    const refused = requestRefusal(guard, { authorization, host });
    if (refused) return context.text(`${refused.reason}\n`, refused.status);
    return next();
  });
  app.get('/healthz', (context) => context.text('ok\n'));
  app.get('/readyz', (context) => {
    const why = sources.unready();
    return why === undefined ? context.text('ready\n') : context.text(`${why}\n`, 503);
  });
  app.get('/metrics', async (context) => {
    const text = await renderMetrics(await sources.samples());
    return context.body(text, 200, { 'content-type': metricsContentType });
  });
  app.get('/sweeps/:id/summary.json', (context) => {
    const summary = sources.summary(context.req.param('id'));
    return summary === undefined
      ? context.json({ error: 'no figures of this sweep here' }, 404)
      : context.json(summary);
  });
  return app;
}

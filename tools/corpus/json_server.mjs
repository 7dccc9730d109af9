// json_server.mjs PORT: an HTTP server that writes a JSON line per request, and lines of its cache and errors between.
import crypto from 'node:crypto';
import http from 'node:http';
import os from 'node:os';
const port = Number(process.argv[2]);
const write = (level, msg, fields) => process.stdout.write(JSON.stringify({
    level, time: new Date().toISOString(), pid: process.pid, hostname: os.hostname(), msg, ...fields }) + '\n');
const cache = new Map();
http.createServer((request, reply) => {
    const started = process.hrtime.bigint(), id = crypto.randomUUID();
    const key = crypto.createHash('sha1').update(request.url).digest('hex');
    if (cache.has(key)) write('debug', 'cache hit', { reqId: id, key, ageMs: Date.now() - cache.get(key) });
    else if (cache.size > 5000) { cache.clear(); write('warn', 'cache cleared', { size: 5000, heapUsed: process.memoryUsage().heapUsed }); }
    cache.set(key, Date.now());
    let status = 200, bytes = 0;
    try {
        if (request.url.startsWith('/private')) status = 403;
        if (request.url.startsWith('/down')) throw new Error(`connect ECONNREFUSED 10.0.${key.charCodeAt(0)}.7:5432`);
        if (request.url.startsWith('/api/v1/orders')) JSON.parse(`{"id":${request.url.split('/').pop()}`);
    } catch (error) {
        status = error instanceof SyntaxError ? 400 : 503;
        write('error', 'request failed', { reqId: id, err: { type: error.name, message: error.message, stack: error.stack } });
    }
    const body = crypto.randomBytes(key.charCodeAt(3)).toString('base64');
    bytes = body.length;
    reply.writeHead(status).end(body);
    write('info', 'request completed', { reqId: id, req: { method: request.method, url: request.url, headers: {
        'user-agent': request.headers['user-agent'], referer: request.headers.referer }, remoteAddress: request.socket.remoteAddress,
        remotePort: request.socket.remotePort }, res: { statusCode: status, bytes }, responseTime: Number(process.hrtime.bigint() - started) / 1e6 });
}).listen(port, '127.0.0.1');

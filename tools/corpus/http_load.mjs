// http_load.mjs PORT REQUESTS: a mixed load of HTTP requests on 127.0.0.1 over 16 connections. Visitors come and
// go with their own agents and addresses of pages; popularity of pages is skewed.
import http from 'node:http';
const [port, total] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const skewed = n => Math.floor(n * Math.random() ** 3);
const pick = list => list[skewed(list.length)];
const systems = ['X11; Linux x86_64', 'Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'iPhone; CPU iPhone OS 17_4 like Mac OS X'];
const agents = [...Array(60)].map((_, i) => i % 7 === 6 ? `curl/7.${60 + i}.0` : i % 11 === 10 ? `kube-probe/1.${20 + i % 9}`
    : `Mozilla/5.0 (${systems[i % 4]}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + i}.0.${4000 + i * 13}.${i * 3} Safari/537.36`);
const words = ['shoes', 'red+coat', 'laptop', 'caf%C3%A9', 'phone case', 'lamp', 'garden chair', 'usb-c hub'];
const hex = n => [...Array(n)].map(() => Math.floor(Math.random() * 16).toString(16)).join('');
const paths = [
    () => `/assets/app-${1 + skewed(44)}.js?v=${pick(['3.2.1', '3.2.0', '3.1.9'])}`,
    () => `/docs/${1 + skewed(24)}.html`,
    () => `/api/v1/orders/${100000 + skewed(900000)}`,
    () => `/api/v1/search?q=${encodeURIComponent(pick(words))}&page=${1 + skewed(30)}&limit=${pick([20, 50, 100])}`,
    () => `/api/v2/users/${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}/sessions`,
    () => `/private/${pick(['admin', 'config', '.env', 'backup.zip'])}`,
    () => `/old/${skewed(200)}`,
    () => `/down/${pick(['db', 'cache'])}`,
    () => '/',
    () => `/wp-login.php?redirect_to=%2Fwp-admin%2F&reauth=${skewed(2)}`,
];
let left = total, running = 0;
function next() {
    while (running < 16 && left > 0) {
        --left;
        ++running;
        const method = pick(['GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT', 'DELETE']);
        const headers = { 'User-Agent': pick(agents) };
        if (Math.random() < 0.4) headers.Referer = `https://shop.example.com${pick(paths)()}`;
        if (Math.random() < 0.1) headers.Authorization = 'Basic ' + Buffer.from(`${pick(['anna', 'bob', 'deploy-bot'])}:x`).toString('base64');
        const request = http.request({ host: '127.0.0.1', port, path: pick(paths)().replaceAll(' ', '%20'), method, headers, agent }, reply => {
            reply.resume();
            reply.on('end', () => { --running; next(); });
        });
        request.on('error', () => { --running; next(); });
        request.end(method === 'POST' ? 'x'.repeat(skewed(400)) : undefined);
    }
    if (left === 0 && running === 0) process.exit(0);
}
next();

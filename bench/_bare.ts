import Fastify from 'fastify';
const body = JSON.parse(process.argv[2] ?? '{}');
const s = Fastify();
s.get('/x', async () => body);
s.post('/x', async (_r, reply) => reply.code(201).send(body));
const url = await s.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ port: Number(new URL(url).port) }));

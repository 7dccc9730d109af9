import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Keeps the collector, the compiler and the exception machinery busy for a while. */
public class Churn {
    public static void main(String[] args) throws Exception {
        Random random = new Random(Long.parseLong(args[0]));
        Map<Integer, List<String>> kept = new HashMap<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; ++t) {
            long seed = random.nextLong();
            Thread thread = new Thread(() -> work(new Random(seed)), "worker-" + t);
            thread.start();
            threads.add(thread);
        }
        for (int i = 0; i < 400000; ++i) {
            kept.computeIfAbsent(random.nextInt(2000), k -> new ArrayList<>()).add("order " + i + " of customer " + random.nextInt());
            if (i % 1000 == 0)
                kept.remove(random.nextInt(2000));
        }
        for (Thread thread : threads)
            thread.join();
    }

    static void work(Random random) {
        long failures = 0;
        for (int i = 0; i < 20000; ++i) {
            try {
                byte[] block = new byte[random.nextInt(20000)];
                if (block.length % 7 == 0)
                    Integer.parseInt("x" + i);
                if (block.length % 11 == 0)
                    throw new IllegalStateException("block of " + block.length + " bytes refused");
            } catch (RuntimeException e) {
                failures += e.getMessage().length();
            }
        }
        System.out.println(failures);
    }
}

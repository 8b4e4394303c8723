// NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.
// Build it with `javac Bot.java`.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Bot {
    /**
     * Returns one of the actions. The message is a line of JSON with what this seat sees under
     * "observation": `quintain games --schema GAME` describes it.
     */
    static String choose(String message, List<String> actions, Random random) {
        return actions.get(random.nextInt(actions.size()));
    }

    private static final Pattern TYPE = Pattern.compile("\"type\":\"(\\w+)\"");
    private static final Pattern SEED = Pattern.compile("\"seed\":(\\d+)");
    private static final Pattern ACTIONS = Pattern.compile("\"actions\":\\[([^\\]]*)\\]");
    private static final Pattern TEXT = Pattern.compile("\"([^\"]*)\"");

    private static String find(Pattern pattern, String line) {
        Matcher matcher = pattern.matcher(line);
        return matcher.find() ? matcher.group(1) : "";
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Random random = new Random(0);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (find(TYPE, line)) {
                case "hello":
                    System.out.println("{\"type\":\"ready\",\"name\":\"NAME\",\"games\":[\"GAME\"],\"protocol\":2}");
                    break;
                case "start":
                    random = new Random(Long.parseUnsignedLong(find(SEED, line)));
                    break;
                case "turn":
                    List<String> actions = new ArrayList<>();
                    Matcher texts = TEXT.matcher(find(ACTIONS, line));
                    while (texts.find()) {
                        actions.add(texts.group(1));
                    }
                    String action = choose(line, actions, random);
                    System.out.println("{\"type\":\"action\",\"action\":\"" + action + "\"}");
                    // Standard output belongs to the protocol; for debugging, print to standard error:
                    // System.err.println(action);
                    break;
                case "bye":
                    return;
                default:
                    break;
            }
            System.out.flush();
        }
    }
}
